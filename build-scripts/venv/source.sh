# shellcheck shell=bash
# Compiles numpy, scipy, scikit-learn and pandas for the architecture without extensions (no AVX, no
# SSE3), into one wheel each, in a folder named by the hash of its inputs. An interrupted build goes
# on where it was, also inside of a package.

# In build order: the others need numpy to be built, and scikit-learn needs scipy too.
SOURCE_PACKAGES="numpy scipy scikit-learn pandas"
# Core seconds that each took on a 2-core server of 2026; every build here corrects the estimate of
# the rest.
declare -A CORE_SECONDS=([numpy]=284 [scipy]=1970 [scikit-learn]=383 [pandas]=713)
SPEED_PERCENT=100
# The largest compiler process of scipy; if not all of them fit into memory, the machine swaps.
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

# For numpy beyond the flags: no baseline above the compiler's, no code chosen at run time, and
# never without a BLAS.
NUMPY_OPTIONS=(-Csetup-args=-Dcpu-baseline=none -Csetup-args=-Dcpu-dispatch=none
  -Csetup-args=-Dallow-noblas=false)

in_build_order() {
  local one out=""
  for one in $SOURCE_PACKAGES; do
    if [[ " $1 " == *" $one "* ]]; then out+=" $one"; fi
  done
  printf '%s' "${out# }"
}

# Everything that the compiled wheels depend on, for the hashes.
source_inputs() {
  printf '%s\n' "source 1" "$PY" "$BASELINE" "${NUMPY_OPTIONS[*]}" "$(uname -m)"
  distribution
  pins_of requirements-build.txt
}

# One pin with all its hashes, on one line.
pin_of() {
  all_pins | sed -e ':a' -e '/\\$/N; s/ *\\\n */ /; ta' | grep -i "^$1=="
}

source_folder() {
  local key
  key=$({ source_inputs; pin_of "$1"; } | hash_inputs)
  printf '%s\n' "$WHEELS/source/$1-$key"
}

has_source_wheel() { compgen -G "$(source_folder "$1")/*.whl" >/dev/null; }

# build_source_wheels PACKAGES: builds those of them that are missing.
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
  say "compiling ${missing[*]} with $JOBS processes: about $(estimate "${missing[@]}") min on a" \
    "2-core server, much longer on a small one; an interrupted build goes on where it was"
  prepare_builder
  while ((${#missing[@]})); do
    build_wheel "${missing[0]}" "$1" "$(estimate "${missing[@]}")"
    missing=("${missing[@]:1}")
  done
  rm -rf "$builder" "$CACHE/tmp/venv-source"
}

# Estimates the minutes for the packages: from the table, the number of processes, and the builds so
# far.
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

# A venv with the build tools, all of them wheels: compiling those fails, and would gain nothing.
prepare_builder() {
  local key
  key=$({ source_inputs; } | hash_inputs)
  if [ "$(cat "$builder/finished" 2>/dev/null)" = "$key" ]; then return; fi
  say "build tools"
  rm -rf "$builder"
  mkdir -p "$(dirname "$builder")"
  "$PY" -m venv --without-pip "$builder"
  pip "installing the build tools" --python "$builder/bin/python" install \
    --require-hashes --no-deps --only-binary :all: -r "$PINNED/requirements-build.txt"
  printf '%s\n' "$key" >"$builder/finished"
}

# build_wheel PACKAGE SOURCE MINUTES: the packages of SOURCE are compiled ones as build requirements
# too; MINUTES is the estimate for all that is left.
build_wheel() {
  local package=$1 source=$2 minutes=$3 folder work options=() began=$SECONDS used resumed=""
  folder=$(source_folder "$package")
  work=$CACHE/tmp/venv-source/$(basename "$folder")
  [ ! -d "$work/build" ] || resumed=", after an interrupted build"
  fetch_sdist "$package" "$work"
  if [ "$package" != numpy ]; then give_builder numpy "$source"; fi
  if [ "$package" = scikit-learn ]; then give_builder scipy "$source"; fi
  if [ "$package" = numpy ]; then options=("${NUMPY_OPTIONS[@]}"); fi
  core_seconds
  used=$CORE_SECONDS_USED
  say "compiling $(basename "$work"/src/*): about $(estimate "$package") min," \
    "$minutes min to the end"
  PATH=$builder/bin:$PATH CFLAGS=$BASELINE CXXFLAGS=$BASELINE FFLAGS=$BASELINE \
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
    pip "compiling $package" --python "$builder/bin/python" wheel -v --no-index --no-deps \
    --no-build-isolation --no-cache-dir -Cbuild-dir="$work/build" -Ccompile-args=-j"$JOBS" \
    "${options[@]}" --wheel-dir "$work/wheel" "$work"/src/*
  core_seconds
  used=$((CORE_SECONDS_USED - used))
  baseline_gate "$package" "$work/wheel"
  mkdir -p "$(dirname "$folder")"
  rm -rf "$folder"
  mv -T "$work/wheel" "$folder"
  rm -rf "$work"
  took "$package" $((SECONDS - began)) "$used" "$resumed"
}

# Sets CORE_SECONDS_USED to those of all children so far. (A subshell would have no children.)
core_seconds() {
  local file=$CACHE/tmp/times
  times >"$file"
  CORE_SECONDS_USED=$(awk '
    NR == 2 {
      for (i = 1; i <= 2; i++) { split($i, t, "[ms]"); sum += 60 * t[1] + t[2] }
      printf "%d", sum
    }' "$file")
}

# Corrects the estimate, if that was a whole build.
took() {
  local package=$1 wall=$2 used=$3 resumed=$4 size
  size=$(du -sk "$(source_folder "$package")" | awk '{ printf "%.1f", $1 / 1024 }')
  say "$package is compiled: $wall s, $used core seconds$resumed; a wheel of $size MB"
  if [ -z "$resumed" ] && ((wall > 60)); then
    SPEED_PERCENT=$((100 * wall * JOBS / CORE_SECONDS[$package]))
  fi
}

# fetch_sdist PACKAGE WORK: fetches and unpacks the pinned archive. To learn what it has downloaded,
# pip would start the package's own build system, which takes minutes for numpy; the stand-in
# answers from the archive's metadata instead.
fetch_sdist() {
  local package=$1 work=$2 file
  if [ -d "$work/src" ]; then return; fi
  mkdir -p "$work/sdist"
  pin_of "$package" >"$work/requirement.txt"
  say "source of $package"
  PYTHONPATH=$HELPERS/stand-in pip "downloading the source of $package" download \
    --require-hashes --no-deps --no-build-isolation --no-binary :all: \
    --dest "$work/sdist" -r "$work/requirement.txt"
  file=$(compgen -G "$work/sdist/*.tar.gz") ||
    die "pip downloaded no .tar.gz of $package; see $LOGS"
  rm -rf "$work/unpacking"
  mkdir "$work/unpacking"
  tar -xf "$file" -C "$work/unpacking" --no-same-owner
  mv -T "$work/unpacking" "$work/src"
}

# Installs a build requirement: compiled if this build compiles it, else its published wheel.
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
  pip "installing $one into the builder" --python "$builder/bin/python" install --no-index \
    --find-links "$from" --require-hashes --no-deps --force-reinstall -r "$builder/$one.txt"
  printf '%s\n' "$from" >"$stamp"
}

# Reads every instruction of a package: none may be of SSE3, SSSE3, SSE4, POPCNT, AVX or later.
# (Emulation would prove only what was executed.)
baseline_gate() {
  [ "$(uname -m)" = x86_64 ] || return 0
  local package=$1 work found log=$LOGS/gate-$1.log
  say "reading the machine code of $package"
  work=$2/../gate
  rm -rf "$work"
  "$PY" -m zipfile -e "$2"/*.whl "$work"
  watch "reading machine code" "$log" gate_libraries "$work" ||
    die "failed to disassemble $package; see $log"
  found=$(awk '{ sum += $1 } END { print sum + 0 }' "$log")
  ((found == 0)) ||
    die "$found instructions of $package are not of baseline x86-64: $log counts them by file"
  say "$package: $(wc -l <"$log") libraries, no instruction above baseline x86-64"
  rm -rf "$work"
}

gate_libraries() {
  local file count
  find "$1" -name '*.so*' | sort | while read -r file; do
    count=$(objdump -d --no-show-raw-insn "$file" | grep -cE "$ABOVE_BASELINE" || true)
    printf '%6d %s\n' "$count" "${file#"$1"/}"
  done
}

# Mnemonics, one field after the address. "v…" with a vector register is AVX in all its forms. tzcnt
# is not among them: older CPUs run it as bsf, and compilers use it where both give the same.
ABOVE_BASELINE='^ +[0-9a-f]+:[[:space:]]+(v[a-z0-9]+ .*%[xyzk]|(addsub|hadd|hsub)p[sd]|lddqu'
ABOVE_BASELINE+='|mov(ddup|shdup|sldup)|fisttp'
ABOVE_BASELINE+='|ph(add|sub)(w|d|sw)|pmaddubsw|pmulhrsw|pshufb|psign[bwd]|palignr|pabs[bwd]'
ABOVE_BASELINE+='|p?blend(w|v|vb|p[sd]|vp[sd])|dpp[sd]|extractps|insertps|movntdqa|mpsadbw|packusdw'
ABOVE_BASELINE+='|pcmp(eqq|gtq|[ei]str[im])|pextr[bdq]|pinsr[bdq]'
ABOVE_BASELINE+='|phminposuw|p(max|min)(sb|sd|ud|uw)|pmov[sz]x[bwd][wdq]|pmul(dq|ld)|ptest'
ABOVE_BASELINE+='|round[ps][sd]|crc32|popcnt|lzcnt|aes|pclmul|sha1|sha256)'
