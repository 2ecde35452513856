# shellcheck shell=bash disable=SC2164 # build-python sets -e
# The guest: program, library, and the snapshot of both after their initialisation.

BOOTSTRAP=$ROOT/wasm-python/bootstrap/sandbox_bootstrap
JOB_PATHS=$ROOT/native-python/job_paths.c
PACKAGES=$ROOT/wasm-python/guest-packages.txt
SNAPSHOT_TOOL=$TARGET_DIR/release/snapshot-guest

guest_program_dir() {
  printf '%s\n' "$CACHE/guest-program/$({
    basename "$(cpython_wasm_dir)"
    declare -f cross link_cpython build_guest_program
    printf '%s\n' "$WRAP_FILES"
    files_digest "$ROOT/wasm-python/guest"
  } | hash_inputs)"
}

guest_library_dir() {
  printf '%s\n' "$CACHE/guest-library/$({
    basename "$(native_dir)"
    declare -f build_guest_library trim_packages
    files_digest "$ROOT/wasm-python/overlay"
    grep -v '^#' "$PACKAGES"
  } | hash_inputs)"
}

guest_dir() {
  printf '%s\n' "$CACHE/guest/$({
    basename "$(guest_program_dir)"
    basename "$(guest_library_dir)"
    declare -f build_guest manifest copy_bootstrap compile_job_paths take_snapshot
    files_digest "$BOOTSTRAP" "$JOB_PATHS" "$ROOT/wasm-python/snapshot/src"
    sed -n '/^name = "wasmtime/,/^checksum/p' "$ROOT/Cargo.lock"
  } | hash_inputs)"
}

# guest.wasm: our C files, CPython and its libraries in one reactor. The stack comes first in
# memory, so that an overflow traps instead of overwriting data.
build_guest_program() {
  local out=$1 work python
  work=$(workspace guest-program)
  python=$(cpython_wasm_dir)
  mkdir "$work/out"
  (
    cross "$(sysroot_dir)" "$ROOT"
    # Assertions in CPython's headers would put the path of the cache into the program.
    logged "$CACHE/logs/guest-program.log" link_cpython "$python" "$work/out/guest.wasm" \
      -mexec-model=reactor -DNDEBUG -ffile-prefix-map="$python=." \
      "$WRAP_FILES" "$ROOT"/wasm-python/guest/*.c
  )
  finish "$work/out" "$out"
  rm -rf "$work"
}

# The standard library with its sources, which tracebacks show; its bytecode is never compared with
# them. The packages are bytecode alone.
build_guest_library() {
  local out=$1 work python name
  work=$(workspace guest-library)
  python=$(native_dir)/bin/python3.13
  mkdir -p "$work/lib" "$CACHE/downloads/wheels"
  cp -R "$(native_dir)/lib/python3.13" "$work/lib/python313"
  (
    cd "$work/lib/python313"
    find . -name __pycache__ -prune -exec rm -rf {} +
    # These need a display, a compiler or pip, or belong to the native build.
    for name in idlelib tkinter turtledemo turtle.py ensurepip venv ctypes curses \
      site-packages lib-dynload 'config-3.13-*' '_sysconfigdata_*' '*.txt'; do
      # shellcheck disable=SC2086 # these are patterns
      rm -rf $name
    done
  )
  logged "$CACHE/logs/wheels.log" "$python" -m pip download -q --no-deps --only-binary :all: \
    --require-hashes -r "$PACKAGES" --find-links "$CACHE/downloads/wheels" \
    -d "$CACHE/downloads/wheels"
  logged "$CACHE/logs/packages.log" "$python" -m pip install -q --root-user-action ignore \
    --no-deps --no-index --require-hashes --no-compile \
    --find-links "$CACHE/downloads/wheels" -r "$PACKAGES" --target "$work/lib/site-packages"
  trim_packages "$work/lib/site-packages"
  cp -R "$ROOT/wasm-python/overlay/." "$work/lib/python313/"
  rm -f "$work/lib/python313/README.md"
  logged "$CACHE/logs/compileall.log" env PYTHONHASHSEED=0 "$python" -s -P -m compileall -q \
    -j "$JOBS" --invalidation-mode unchecked-hash -s "$work" -p / "$work/lib/python313"
  logged "$CACHE/logs/compileall-packages.log" env PYTHONHASHSEED=0 "$python" -s -P -m compileall \
    -q -b -j "$JOBS" --invalidation-mode unchecked-hash -s "$work" -p / "$work/lib/site-packages"
  find "$work/lib/site-packages" -name '*.py' -delete
  # Python remembers the times of folders that it has listed, and so would the snapshot.
  find "$work/lib" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  finish "$work/lib" "$out"
  rm -rf "$work"
}

# trim_packages FOLDER: removes what no job imports, and the native halves of packages that have
# pure ones too. What is left is the same on every machine.
trim_packages() {
  (
    cd "$1"
    rm -rf bin share isympy.py sympy/benchmarks sympy/*/benchmarks sympy/utilities/mathml/data \
      sympy/parsing/autolev/test-examples
    find . -type d -name tests -prune -exec rm -rf {} +
    find . \( -name '*.so' -o -name '*.c' -o -name '*.h' -o -name '*.pyx' -o -name '*.pyi' \
      -o -name py.typed \) -delete
    find . -path '*.dist-info/*' ! -name METADATA ! -name entry_points.txt -type f -delete
    find . -path '*.dist-info/*' -mindepth 2 -type d -empty -delete
  )
}

# A copy of the bootstrap has no bytecode of other runs, and fixed times: it gives the same bytes
# every time.
build_guest() {
  local out=$1 work
  work=$(workspace guest)
  mkdir "$work/out"
  cp -al "$(guest_library_dir)" "$work/out/lib"
  copy_bootstrap "$work/bootstrap"
  [ "$(guest_dir)" = "$out" ] ||
    die "the bootstrap changed while it was copied; run build-scripts/build-python again"
  take_snapshot "$work/out/lib" "$work/bootstrap" "$work/out/python.wasm.gz"
  # The native runtime runs the same bootstrap from its files. With bytecode, because every start of
  # its parent would compile them again.
  cp -R "$work/bootstrap" "$work/out/bootstrap"
  logged "$CACHE/logs/compileall-bootstrap.log" env PYTHONHASHSEED=0 \
    "$(native_dir)/bin/python3.13" -s -P -m compileall -q --invalidation-mode unchecked-hash \
    -s "$work/out" -p / "$work/out/bootstrap"
  compile_job_paths "$work/out/bootstrap/job_paths.so"
  manifest "$(basename "$out")" >"$work/out/manifest.json"
  finish "$work/out" "$out"
  rm -rf "$work"
}

# manifest INPUTS: what doctor says about the guest.
manifest() {
  local name
  printf '{"python": "%s", "inputs": "%s", "toolchain": "%s"' \
    "$(pin cpython version)" "$1" "$($CLANG --version | head -n 1)"
  for name in wasi-libc zlib bzip2 xz sqlite; do
    printf ', "%s": "%s"' "${name/-/_}" "$(pin "$name" version)"
  done
  printf '}\n'
}

# The library that is loaded before the C library of native jobs, whichever that is: it asks for no
# version of any function, and is linked to nothing.
compile_job_paths() {
  logged "$CACHE/logs/job-paths.log" "${CC:-cc}" -std=gnu17 -O2 -fPIC -shared -nostdlib \
    -fvisibility=hidden -fno-stack-protector -U_FORTIFY_SOURCE -Wall -Wextra -Werror \
    -ffile-prefix-map="$ROOT=." -o "$1" "$JOB_PATHS"
}

copy_bootstrap() {
  mkdir "$1"
  cp -R "$BOOTSTRAP" "$1/"
  find "$1" -name __pycache__ -prune -exec rm -rf {} +
  find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# take_snapshot LIBRARY BOOTSTRAP OUT.gz: packed, since it is read only to be compiled, and then a
# third of the size.
take_snapshot() {
  logged "$CACHE/logs/snapshot.log" "$SNAPSHOT_TOOL" \
    "$(guest_program_dir)/guest.wasm" "$1" "$2" "${3%.gz}"
  gzip -n "${3%.gz}"
}

# Takes the snapshot again, from copies of its inputs in another place, if possible in another kind
# of filesystem. A subshell, so that the copies are removed however it ends: they may be in memory.
compare_snapshot() (
  built=$1 elsewhere=${TMPDIR:-/tmp}
  # In a container it may be too small for the copies.
  room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || room=0
  if [ -w /dev/shm ] && ((room > 400000)); then elsewhere=/dev/shm; fi
  work=$(mktemp -d "$elsewhere/compare-snapshot.XXXXXX")
  trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  cp -a "$(guest_library_dir)" "$work/lib"
  copy_bootstrap "$work/bootstrap"
  TMPDIR=$work take_snapshot "$work/lib" "$work/bootstrap" "$work/python.wasm.gz"
  cmp "$work/python.wasm.gz" "$built/python.wasm.gz" >&2 ||
    die "the same inputs gave another snapshot: it depends on the machine or on chance"
  say "the same snapshot came out twice: $(sha256sum <"$built/python.wasm.gz" | cut -c1-64)"
)

# The same command as `make build`, so that wasmtime is compiled once: in the checkout, the whole
# workspace, and without a variable that makes cargo compile C parts again.
build_snapshot_tool() {
  (
    cd "$ROOT"
    logged "$CACHE/logs/cargo-snapshot-guest.log" env -u SOURCE_DATE_EPOCH \
      cargo build --release --locked --workspace
  )
}
