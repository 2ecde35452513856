# shellcheck shell=bash disable=SC2164 # build-python sets -e
# CPython for WASI as a static library. The steps: the C libraries (sysroot), a Python that counts
# what it executes, the profile of a training run in it, and CPython compiled with that profile.

# use_toolchain: chooses the wasi-sdk at WASI_SDK_PATH, or else Debian's clang and wasi-libc. Sets
# PROFILE to whether CPython is compiled with a profile.
use_toolchain() {
  PROFILE=yes
  if [ -n "${WASI_SDK_PATH:-}" ]; then
    CLANG=$WASI_SDK_PATH/bin/clang
    LLVM_AR=$WASI_SDK_PATH/bin/llvm-ar
    LLVM_RANLIB=$WASI_SDK_PATH/bin/llvm-ranlib
    LLVM_PROFDATA=$WASI_SDK_PATH/bin/llvm-profdata
    [ -x "$CLANG" ] ||
      die "WASI_SDK_PATH is \`$WASI_SDK_PATH\`, but there is no \`bin/clang\` in it"
    # Some have not all that a profile needs; CPython is then compiled without one.
    if ! [ -x "$LLVM_PROFDATA" ] ||
      ! "$CLANG" -E -include profile/InstrProfData.inc -x c /dev/null >/dev/null 2>&1; then
      PROFILE=no
    fi
    TOOLCHAIN="wasi-sdk $(head -n 1 "$WASI_SDK_PATH/VERSION" 2>/dev/null)"
  else
    CLANG=clang-22 LLVM_AR=llvm-ar-22 LLVM_RANLIB=llvm-ranlib-22 LLVM_PROFDATA=llvm-profdata-22
    TOOLCHAIN=clang-22
  fi
}

WASM_CFLAGS="-O3"
TRAINING=$ROOT/wasm-python/training
# build_files.c with these flags hides from programs of the build what differs between machines:
# order and times of files.
BUILD_FILES=$ROOT/wasm-python/guest/build_files
WRAP_FILES=-Wl,--wrap=__wasi_fd_filestat_get,--wrap=__wasi_path_filestat_get
WRAP_FILES+=,--wrap=__wasi_fd_readdir

# cross SYSROOT WORK: sets the environment of a cross build; call it in a subshell. Paths below WORK
# do not get into the result, and pkg-config must not find the libraries of the build machine.
cross() {
  export CC="$CLANG --target=wasm32-wasip1 --sysroot=$1" AR=$LLVM_AR RANLIB=$LLVM_RANLIB
  export CPP="$CC -E" CFLAGS="$WASM_CFLAGS -ffile-prefix-map=$2=."
  export PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=/nonexistent
}

sysroot_dir() {
  printf '%s\n' "$CACHE/wasm-sysroot/$({
    pin_section wasi-libc zlib bzip2 xz sqlite
    declare -f cross build_sysroot build_zlib build_bzip2 build_xz build_sqlite build_archive
    files_digest "$ROOT/wasm-python/guest/sqlite_wasi.h"
    printf '%s\n' "$TOOLCHAIN" "$WASM_CFLAGS"
  } | hash_inputs)"
}

training_python_dir() {
  printf '%s\n' "$CACHE/wasm-training/$({
    cpython_inputs
    declare -f link_cpython build_training_python
    files_digest "$TRAINING/training.c" "$BUILD_FILES.c" "$BUILD_FILES.h"
    printf '%s\n' "$WRAP_FILES"
  } | hash_inputs)"
}

profile_dir() {
  printf '%s\n' "$CACHE/wasm-profile/$({
    basename "$(training_python_dir)"
    declare -f build_profile
    files_digest "$TRAINING/train.py"
  } | hash_inputs)"
}

cpython_wasm_dir() {
  printf '%s\n' "$CACHE/wasm-cpython/$({
    cpython_inputs
    declare -f build_cpython_wasm
    if [ "$PROFILE" = yes ]; then basename "$(profile_dir)"; fi
  } | hash_inputs)"
}

cpython_inputs() {
  basename "$(sysroot_dir)"
  basename "$(native_dir)"
  pin_section cpython
  declare -f cross compile_cpython take_cpython
  files_digest "$ROOT/wasm-python/patches"
  printf '%s\n' "$WITHOUT_PROFILE" "$WITHOUT_LTO"
}

build_sysroot() {
  local out=$1 work
  work=$(workspace wasm-sysroot)
  mkdir -p "$work/root"
  if [ -n "${WASI_SDK_PATH:-}" ]; then
    cp -RL "$WASI_SDK_PATH"/share/wasi-sysroot/* "$work/root"
  else
    dpkg -x "$CACHE/downloads/$(source_file wasi-libc)" "$work/wasi-libc"
    cp -RL "$work/wasi-libc/usr/include" "$work/wasi-libc/usr/lib" "$work/root"
  fi
  local name
  for name in zlib bzip2 xz sqlite; do
    say "      $name $(pin "$name" version)"
    mkdir "$work/$name"
    unpack "$name" "$work/$name"
    (
      cross "$work/root" "$work"
      cd "$work/$name"
      logged "$CACHE/logs/wasm-$name.log" "build_$name" "$work/root"
    )
  done
  finish "$work/root" "$out"
  rm -rf "$work"
}

# build_archive LIBRARY FLAGS SOURCE…: compiles the sources into one static library of the sysroot.
build_archive() {
  local library=$1 flags=$2 source
  shift 2
  for source in "$@"; do
    # shellcheck disable=SC2086 # these are lists of flags
    $CC $CFLAGS $flags -c "$source" -o "$(basename "$source" .c).o" || return 1
  done
  "$AR" rcsD "$library" ./*.o
}

build_zlib() {
  build_archive "$1/lib/wasm32-wasip1/libz.a" -DHAVE_UNISTD_H \
    adler32.c compress.c crc32.c deflate.c gzclose.c gzlib.c gzread.c gzwrite.c infback.c \
    inffast.c inflate.c inftrees.c trees.c uncompr.c zutil.c &&
    cp zlib.h zconf.h "$1/include/wasm32-wasip1/"
}

build_bzip2() {
  build_archive "$1/lib/wasm32-wasip1/libbz2.a" -D_FILE_OFFSET_BITS=64 \
    blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c &&
    cp bzlib.h "$1/include/wasm32-wasip1/"
}

build_xz() {
  ./configure -q --host=wasm32-wasi --prefix=/ --libdir=/lib/wasm32-wasip1 \
    --includedir=/include/wasm32-wasip1 --disable-shared --disable-threads --disable-nls \
    --disable-sandbox --disable-xz --disable-xzdec --disable-lzmadec \
    --disable-lzmainfo --disable-scripts --disable-doc &&
    make -j"$JOBS" -C src/liblzma install DESTDIR="$1"
}

# Without load_extension (there is nothing to load), WAL (it needs shared memory) and threads.
build_sqlite() {
  if [ ! -e sqlite3.c ]; then
    # The build machine's own compiler makes the amalgamation.
    (unset CC CFLAGS AR RANLIB && ./configure -q --disable-shared && make sqlite3.c sqlite3.h) ||
      return 1
  fi
  build_archive "$1/lib/wasm32-wasip1/libsqlite3.a" \
    "-include $ROOT/wasm-python/guest/sqlite_wasi.h -DSQLITE_WASI=1 \
-DSQLITE_DEFAULT_UNIX_VFS=\"unix\" \
     -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_WAL -DSQLITE_MAX_MMAP_SIZE=0 \
     -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_MATH_FUNCTIONS \
-DSQLITE_ENABLE_COLUMN_METADATA" \
    sqlite3.c &&
    cp sqlite3.h "$1/include/wasm32-wasip1/"
}

# A profile makes the interpreter's loop and long integers slower: nbody by 15 %, pidigits by 14 %.
WITHOUT_PROFILE="Python/ceval.o Objects/longobject.o"
# Optimised together with the other files, regular expressions are slower by 78 %.
WITHOUT_LTO="Modules/_sre/sre.o"

# compile_cpython WORK PROFILE LTO: compiles CPython in WORK/build. PROFILE and LTO are flags for
# all files but those above.
compile_cpython() {
  local work=$1 profile=$2 lto=$3 logs=$CACHE/logs/wasm-cpython patch
  mkdir -p "$work/source" "$work/build"
  unpack cpython "$work/source"
  for patch in "$ROOT"/wasm-python/patches/*.patch; do
    if [ -e "$patch" ]; then patch -s -p1 -d "$work/source" <"$patch"; fi
  done
  (
    cross "$(sysroot_dir)" "$work"
    # CPython sets -fno-strict-overflow, with which this clang lets addresses wrap around too: every
    # field of a struct would cost an addition instead of an offset in the load.
    # shellcheck disable=SC2030 # link_cpython has its own
    CFLAGS+=" -fno-wrapv-pointer"
    export CONFIG_SITE=$work/source/Tools/wasm/config.site-wasm32-wasi
    cd "$work/build"
    # By a relative path, since a profile knows static functions by the path of their source.
    # pymalloc: off by default for WASI, but much faster than the C library for small objects.
    logged "$logs/configure.log" ../source/configure -q --with-pymalloc --host=wasm32-wasip1 \
      --build="$(uname -m)-pc-linux-gnu" \
      --with-build-python="$(native_dir)/bin/python3.13" --prefix=/ --disable-test-modules
    # shellcheck disable=SC2086 # a list of files
    logged "$logs/make.log" make -j"$JOBS" $WITHOUT_PROFILE EXTRA_CFLAGS="$lto"
    logged "$logs/make.log" make -j"$JOBS" $WITHOUT_LTO EXTRA_CFLAGS="$profile"
    logged "$logs/make.log" make -j"$JOBS" libpython3.13.a EXTRA_CFLAGS="$profile $lto"
    need_modules zlib bz2 lzma sqlite3
  )
}

# link_cpython PYTHON OUTPUT ARGUMENT…: links the arguments with what take_cpython left in PYTHON.
# shellcheck disable=SC2031,SC2086 # CFLAGS is that of the caller; CC and CFLAGS are lists of words
link_cpython() {
  local python=$1 output=$2
  shift 2
  $CC $CFLAGS -Wall -Wextra -std=c11 "$@" "$python"/lib/libpython3.13.a "$python"/lib/libHacl*.a \
    "$python/lib/libmpdec.a" "$python/lib/libexpat.a" -I"$python/include" \
    -lz -lbz2 -llzma -lsqlite3 -lwasi-emulated-signal -lwasi-emulated-getpid \
    -lwasi-emulated-process-clocks -ldl -lpthread -lm -z stack-size=8388608 \
    -Wl,--stack-first -Wl,--strip-debug -o "$output" \
    -Wl,--lto-O3 -Wl,-mllvm,-import-instr-limit=20 -Wl,--thinlto-jobs="$JOBS"
}

# take_cpython WORK OUT: copies what programs are linked from: lib/*.a and include/.
take_cpython() {
  local build=$1/build
  mkdir -p "$2/lib" "$2/include"
  cp "$build/libpython3.13.a" "$build"/Modules/_hacl/*.a "$build"/Modules/_decimal/libmpdec/*.a \
    "$build"/Modules/expat/*.a "$2/lib/"
  cp -R "$1/source/Include/." "$build/pyconfig.h" "$2/include/"
}

# python.wasm: runs like `python`, and records how often each part of it ran.
build_training_python() {
  local out=$1 work
  work=$(workspace wasm-training)
  compile_cpython "$work" -fprofile-generate ""
  take_cpython "$work" "$work/python"
  mkdir "$work/out"
  (
    cross "$(sysroot_dir)" "$work"
    logged "$CACHE/logs/wasm-training.log" link_cpython "$work/python" "$work/out/python.wasm" \
      "$TRAINING/training.c" "$BUILD_FILES.c" "$WRAP_FILES"
  )
  finish "$work/out" "$out"
  rm -rf "$work"
}

# Clocks and random numbers of the training run are fixed: the same Python gives the same profile.
build_profile() {
  local out=$1 work
  work=$(workspace wasm-profile)
  mkdir "$work/out" "$work/training"
  cp "$TRAINING/train.py" "$work/training/"
  logged "$CACHE/logs/wasm-profile.log" "$SNAPSHOT_TOOL" train \
    "$(training_python_dir)/python.wasm" "$(native_dir)/lib" "$work/training" "$work/python.profraw"
  logged "$CACHE/logs/wasm-profile.log" "$LLVM_PROFDATA" merge -o "$work/out/python.profdata" \
    "$work/python.profraw"
  finish "$work/out" "$out"
  rm -rf "$work"
}

build_cpython_wasm() {
  local out=$1 work profile='' lto=''
  work=$(workspace wasm-cpython)
  if [ "$PROFILE" = yes ]; then
    profile="-fprofile-use=$(profile_dir)/python.profdata" lto=-flto=thin
  fi
  compile_cpython "$work" "$profile" "$lto"
  take_cpython "$work" "$work/out"
  finish "$work/out" "$out"
  rm -rf "$work"
}

# configure silently leaves a module out when a check of its library fails.
need_modules() {
  local name
  for name in "$@"; do
    grep -Eq "PyInit__?$name\b" Modules/config.c ||
      die "CPython for WASI came out without \`$name\`; see $CACHE/logs/wasm-cpython" \
        "and the checks in CPython's configure.ac"
  done
}
