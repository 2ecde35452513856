# shellcheck shell=bash disable=SC2164 # build-python sets -e
# The native CPython: the build Python of the cross build, and the interpreter of the native venv.

# It links to system libraries of the machine, so its distribution is in the hash.
native_dir() {
  local hash
  hash=$({
    pin_section cpython
    declare -f build_native
    uname -m
    distribution
  } | hash_inputs)
  printf '%s\n' "$CACHE/native-python/$hash"
}

build_native() {
  local prefix=$1 work logs module
  work=$(workspace native-python)
  logs=$CACHE/logs/native-python
  tar -xf "$CACHE/downloads/$(source_file cpython)" -C "$work"
  mkdir "$work/build"
  cd "$work/build"
  logged "$logs/configure.log" "$work"/Python-*/configure -q --prefix="$prefix" \
    --disable-test-modules --without-static-libpython --with-ensurepip=install
  logged "$logs/make.log" make -j"$JOBS"
  logged "$logs/install.log" make install DESTDIR="$work/root"
  for module in ssl sqlite3 lzma bz2 zlib ctypes hashlib; do
    "$work/root$prefix/bin/python3.13" -I -c "import $module" 2>/dev/null ||
      die "the native CPython came out without \`$module\`: its -dev package is missing; \
see $logs/configure.log"
  done
  cd "$CACHE"
  finish "$work/root$prefix" "$prefix"
  rm -rf "$work"
}
