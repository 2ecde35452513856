# shellcheck shell=bash
# numpy, scipy, scikit-learn and pandas compiled for the architecture without extensions (no AVX, no SSE3), one wheel each,
# kept by the hash of what it was made from. An interrupted build goes on where it was, inside a package too.

# In build order: scipy, scikit-learn and pandas want numpy when they are built, scikit-learn wants scipy.
SOURCE_PACKAGES="numpy scipy scikit-learn pandas"
# Core seconds that each took on a 2-core server of 2026; the first that is built here corrects the estimate of the rest.
declare -A CORE_SECONDS=([numpy]=284 [scipy]=1970 [scikit-learn]=383 [pandas]=713)
SPEED_PERCENT=100
# The largest compiler process of scipy: more of them at once than fit into memory would swap.
COMPILER_MB=2500

SOURCE_TOOLS='
gcc             command cc
g++             command c++
gfortran        command gfortran
binutils        command objdump
pkg-config      command pkg-config
libopenblas-dev library openblas'

case $(uname -m) in
  x86_64) BASELINE="-O2 -march=x86-64 -mtune=generic" ;;
  *) BASELINE="-O2" ;;
esac

# What numpy does beyond the flags: no baseline above the compiler's, no code chosen at run time, and a BLAS in any case.
NUMPY_OPTIONS=(-Csetup-args=-Dcpu-baseline=none -Csetup-args=-Dcpu-dispatch=none -Csetup-args=-Dallow-noblas=false)

in_build_order() {
  local one out=""
  for one in $SOURCE_PACKAGES; do
    if [[ " $1 " == *" $one "* ]]; then out+=" $one"; fi
  done
  printf '%s' "${out# }"
}

# All that the compiled wheels depend on, for the hashes.
source_inputs() {
  printf '%s\n' "source 1" "$PY" "$BASELINE" "${NUMPY_OPTIONS[*]}" "$(uname -m)"
  distribution
  pins_of requirements-build.txt
}

# One pin with all its hashes, on one line.
pin_of() { pins_of requirements.txt | sed -e ':a' -e '/\\$/N; s/ *\\\n */ /; ta' | grep -i "^$1=="; }

source_folder() {
  local key
  key=$({ source_inputs; pin_of "$1"; } | hash_inputs)
  printf '%s\n' "$WHEELS/source/$1-$key"
}

has_source_wheel() { compgen -G "$(source_folder "$1")/*.whl" >/dev/null; }

# build_source_wheels PACKAGES: those of them that are missing.
build_source_wheels() {
  local one
  for one in $1; do
    if ! has_source_wheel "$one"; then
      with_lock venv-source build_missing "$1"
      return
    fi
  done
}

build_missing() {
  local one missing=() builder=$CACHE/tmp/venv-builder
  for one in $1; do
    has_source_wheel "$one" || missing+=("$one")
  done
  ((${#missing[@]})) || return 0
  need_tools "$SOURCE_TOOLS"
  limit_jobs
  say "compiling ${missing[*]} with $JOBS processes: about $(estimate "${missing[@]}") min on a machine like a 2-core server," \
    "several times that on a small one; an interrupted build goes on where it was"
  prepare_builder
  while ((${#missing[@]})); do
    build_wheel "${missing[0]}" "$1" "$(estimate "${missing[@]}")"
    missing=("${missing[@]:1}")
  done
  rm -rf "$builder" "$CACHE/tmp/venv-source"
}

# Minutes for the packages, from the table, the number of processes and what has been measured so far.
estimate() {
  local one seconds=0
  for one in "$@"; do seconds=$((seconds + CORE_SECONDS[$one])); done
  printf '%s' $(((seconds * SPEED_PERCENT / 100 / JOBS + 59) / 60))
}

limit_jobs() {
  local room
  room=$(($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) / 1024 / COMPILER_MB))
  if ((room < JOBS)); then
    JOBS=$((room > 1 ? room : 1))
    say "memory for $JOBS compiler process(es) at once"
  fi
}

# A venv with the build tools, all of them wheels: compiling those too gains nothing and fails.
prepare_builder() {
  local key
  key=$({ source_inputs; } | hash_inputs)
  if [ "$(cat "$builder/finished" 2>/dev/null)" = "$key" ]; then return; fi
  say "build tools"
  rm -rf "$builder"
  mkdir -p "$(dirname "$builder")"
  "$PY" -m venv --without-pip "$builder"
  watch "installing the build tools" "$LOGS/build-tools.log" "$PY" -m pip --python "$builder/bin/python" install "${PIP_FLAGS[@]}" \
    --require-hashes --no-deps --only-binary :all: -r "$PINNED/requirements-build.txt" ||
    explain_failure "installing the build tools" "$LOGS/build-tools.log"
  printf '%s\n' "$key" >"$builder/finished"
}

# build_wheel PACKAGE SOURCE MINUTES: SOURCE says which of its build requirements are compiled ones too.
build_wheel() {
  local package=$1 source=$2 minutes=$3 folder work log options=() began=$SECONDS used status=0 resumed=""
  folder=$(source_folder "$package")
  work=$CACHE/tmp/venv-source/$(basename "$folder")
  [ ! -d "$work/build" ] || resumed=", after an interrupted build"
  log=$LOGS/source-$package.log
  fetch_sdist "$package" "$work"
  if [ "$package" != numpy ]; then give_builder numpy "$source"; fi
  if [ "$package" = scikit-learn ]; then give_builder scipy "$source"; fi
  if [ "$package" = numpy ]; then options=("${NUMPY_OPTIONS[@]}"); fi
  core_seconds
  used=$CORE_SECONDS_USED
  say "compiling $(basename "$work"/src/*) (about $(estimate "$package") min, $minutes min to the end); log: $log"
  watch "compiling $package" "$log" env PATH="$builder/bin:$PATH" CFLAGS="$BASELINE" CXXFLAGS="$BASELINE" FFLAGS="$BASELINE" \
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "$PY" -m pip --python "$builder/bin/python" wheel "${PIP_FLAGS[@]}" -v --no-index \
    --no-deps --no-build-isolation --no-cache-dir -Cbuild-dir="$work/build" -Ccompile-args=-j"$JOBS" "${options[@]}" \
    --wheel-dir "$work/wheel" "$work"/src/* || status=$?
  ((status == 0)) || explain_failure "compiling $package" "$log"
  core_seconds
  used=$((CORE_SECONDS_USED - used))
  baseline_gate "$package" "$work/wheel"
  mkdir -p "$(dirname "$folder")"
  rm -rf "$folder"
  mv -T "$work/wheel" "$folder"
  rm -rf "$work"
  took "$package" $((SECONDS - began)) "$used" "$resumed"
}

# CORE_SECONDS_USED: of all children so far. (A subshell would have none of its own.)
core_seconds() {
  local file=$CACHE/tmp/times
  times >"$file"
  CORE_SECONDS_USED=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "[ms]"); sum += 60 * t[1] + t[2] } printf "%d", sum }' "$file")
}

# Corrects the estimate by what was measured, if that was a whole build.
took() {
  local package=$1 wall=$2 used=$3 resumed=$4
  say "$package is compiled: $wall s, $used core seconds$resumed; a wheel of $(
    du -sk "$(source_folder "$package")" | awk '{ printf "%.1f", $1 / 1024 }') MB"
  if [ -z "$resumed" ] && ((wall > 60)); then SPEED_PERCENT=$((100 * wall * JOBS / CORE_SECONDS[$package])); fi
}

# fetch_sdist PACKAGE WORK: the pinned archive, unpacked once. pip would start the package's own build system to learn what it
# has downloaded, minutes of work for numpy; the stand-in answers from the archive's metadata instead.
fetch_sdist() {
  local package=$1 work=$2 file
  if [ -d "$work/src" ]; then return; fi
  mkdir -p "$work/sdist"
  pin_of "$package" >"$work/requirement.txt"
  say "source of $package"
  watch "downloading the source" "$LOGS/sdist-$package.log" env PYTHONPATH="$HELPERS/stand-in" "$PY" -m pip download "${PIP_FLAGS[@]}" \
    --require-hashes --no-deps --no-build-isolation --no-binary :all: --dest "$work/sdist" -r "$work/requirement.txt" ||
    explain_failure "downloading the source of $package" "$LOGS/sdist-$package.log"
  file=$(compgen -G "$work/sdist/*.tar.gz") || die "pip downloaded no .tar.gz of $package; see $LOGS/sdist-$package.log"
  rm -rf "$work/unpacking"
  mkdir "$work/unpacking"
  tar -xf "$file" -C "$work/unpacking" --no-same-owner
  mv -T "$work/unpacking" "$work/src"
}

# A build requirement, compiled if this build compiles it, else its published wheel.
give_builder() {
  local one=$1 from=$WHEELS stamp=$builder/has-$1
  if [[ " $2 " == *" $one "* ]]; then from=$(source_folder "$one"); fi
  if [ "$(cat "$stamp" 2>/dev/null)" = "$from" ]; then return; fi
  if [ "$from" = "$WHEELS" ]; then with_lock venv fetch_wheels; fi
  pin_of "$one" >"$builder/$one.txt"
  if [ "$from" != "$WHEELS" ]; then
    "$PY" "$HELPERS/requirements.py" install "$builder/$one.txt" "$from" "$one" >"$builder/$one.tmp"
    mv "$builder/$one.tmp" "$builder/$one.txt"
  fi
  watch "installing $one into the builder" "$LOGS/builder.log" "$PY" -m pip --python "$builder/bin/python" install "${PIP_FLAGS[@]}" \
    --no-index --find-links "$from" --require-hashes --no-deps --force-reinstall -r "$builder/$one.txt" ||
    explain_failure "installing $one into the builder" "$LOGS/builder.log"
  printf '%s\n' "$from" >"$stamp"
}

# Emulation proves only what was executed; this reads every instruction: none may be of SSE3, SSSE3, SSE4, POPCNT, AVX or later.
baseline_gate() {
  [ "$(uname -m)" = x86_64 ] || return 0
  local package=$1 work found log=$LOGS/gate-$1.log
  say "reading the machine code of $package"
  work=$2/../gate
  rm -rf "$work"
  "$PY" -m zipfile -e "$2"/*.whl "$work"
  watch "reading machine code" "$log" gate_libraries "$work" || die "failed to disassemble $package; see $log"
  found=$(awk '{ sum += $1 } END { print sum + 0 }' "$log")
  ((found == 0)) || die "$found instructions of $package are not of baseline x86-64: $log counts them by file"
  say "$package: $(wc -l <"$log") libraries, no instruction above baseline x86-64"
  rm -rf "$work"
}

gate_libraries() {
  local file
  find "$1" -name '*.so*' | sort | while read -r file; do
    printf '%6d %s\n' "$(objdump -d --no-show-raw-insn "$file" | grep -cE "$ABOVE_BASELINE" || true)" "${file#"$1"/}"
  done
}

# Mnemonics, one field after the address. "v…" with a vector register is AVX in all its forms. Not tzcnt: to an older CPU it is
# bsf, and compilers write it for every CPU where both give the same.
ABOVE_BASELINE='^ +[0-9a-f]+:[[:space:]]+(v[a-z0-9]+ .*%[xyzk]|(addsub|hadd|hsub)p[sd]|lddqu|mov(ddup|shdup|sldup)|fisttp'
ABOVE_BASELINE+='|ph(add|sub)(w|d|sw)|pmaddubsw|pmulhrsw|pshufb|psign[bwd]|palignr|pabs[bwd]'
ABOVE_BASELINE+='|p?blend(w|v|vb|p[sd]|vp[sd])|dpp[sd]|extractps|insertps|movntdqa|mpsadbw|packusdw|pcmp(eqq|gtq|[ei]str[im])|pextr[bdq]|pinsr[bdq]'
ABOVE_BASELINE+='|phminposuw|p(max|min)(sb|sd|ud|uw)|pmov[sz]x[bwd][wdq]|pmul(dq|ld)|ptest|round[ps][sd]|crc32|popcnt|lzcnt|aes|pclmul|sha1|sha256)'
