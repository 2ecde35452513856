# shellcheck shell=bash disable=SC2034 # the tables are for the scripts that source this file
# Tools: what must be installed, by Debian package, and what shows that it is there; Python tools,
# by their pins.

NATIVE_TOOLS='
gcc             command cc
make            command make
pkg-config      command pkg-config
xz-utils        command xz
bzip2           command bzip2
ca-certificates file    /etc/ssl/certs/ca-certificates.crt
libc6-dev       header  stdio.h
libssl-dev      header  openssl/ssl.h
zlib1g-dev      header  zlib.h
libffi-dev      header  ffi.h
libbz2-dev      header  bzlib.h
liblzma-dev     header  lzma.h
libsqlite3-dev  header  sqlite3.h
uuid-dev        header  uuid/uuid.h
libreadline-dev header  readline/readline.h'

LLVM_RT=/usr/lib/llvm-22/lib/clang/22/lib
WASM_TOOLS='
clang-22                  command clang-22
lld-22                    command wasm-ld-22
llvm-22                   command llvm-ar-22
libclang-rt-22-dev-wasm32 file    '$LLVM_RT'/wasi/libclang_rt.builtins-wasm32.a
tcl                       command tclsh
patch                     command patch'

# need_tools TABLE: installs what is missing when that is possible, else says how and exits.
need_tools() {
  local package kind what missing=()
  while read -r package kind what; do
    [ -z "$package" ] || has_tool "$kind" "$what" || missing+=("$package")
  done <<<"$1"
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    die "tools are missing; install them with:" \
      "apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "      installing Debian packages: ${missing[*]}"
  logged "$CACHE/logs/apt-install.log" apt_install "${missing[@]}"
  while read -r package kind what; do
    [ -z "$package" ] || has_tool "$kind" "$what" ||
      die "\`$package\` is installed, but its $kind \`$what\` is not there"
  done <<<"$1"
}

has_tool() {
  case $1 in
    command) command -v "$2" >/dev/null ;;
    file) [ -e "$2" ] ;;
    library) pkg-config --exists "$2" 2>/dev/null ;;
    module) python3 -c "import $2" 2>/dev/null ;;
    header) printf '#include <stdio.h>\n#include <%s>\n' "$2" | cc -E - >/dev/null 2>&1 ;;
  esac
}

# The package lists may be missing or old: they are fetched again only if the first try fails.
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y --no-install-recommends "$@" && return
  apt-get update
  apt-get install -y --no-install-recommends "$@"
}

# pinned_venv NAME PYTHON REQUIREMENTS: prints the path of a venv that has the pinned packages and
# nothing else; it is made if it is missing.
pinned_venv() {
  local venv
  venv=$CACHE/$1/$({ "$2" --version && cat "$3"; } | hash_inputs)
  mkdir -p "$CACHE/$1"
  (
    flock 8
    [ ! -f "$venv/finished" ] || exit 0
    say "installing the Python packages for $1"
    rm -rf "$venv"
    logged "$CACHE/logs/$1-venv.log" "$2" -m venv "$venv"
    logged "$CACHE/logs/$1-pip.log" "$venv/bin/python" -m pip install --disable-pip-version-check \
      --no-input --require-hashes --no-deps --only-binary :all: -r "$3"
    touch "$venv/finished"
  ) 8>"$CACHE/$1/lock" || return
  printf '%s\n' "$venv"
}
