# shellcheck shell=bash disable=SC2034 # the variables are for the scripts that source this file
# What the build scripts share: progress lines, logged commands, pins, hashes, the cache, its lock.
# Messages go to stderr; stdout is for the script's answer.

NAME=mcp-python-sandbox
CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/$NAME"
TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}
PRODUCT=$TARGET_DIR/release/$NAME
JOBS="${MCP_PYTHON_SANDBOX_BUILD_JOBS:-$(nproc)}"
START_SECONDS=$SECONDS
# The manual test: the first message of a client.
INITIALIZE='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05",'
INITIALIZE+='"capabilities":{},"clientInfo":{"name":"test","version":"0.1"}}}'

# The same messages and the same order everywhere, and times in archives that do not change.
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=1735689600
umask 022

say() { printf '%5ds %s\n' "$((SECONDS - START_SECONDS))" "$*" >&2; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# logged LOG COMMAND…: runs COMMAND with its output in LOG; every 20 s a line says what it is doing.
logged() {
  local log=$1 pid waited=0 said
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 9>&- &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    waited=$((waited + 1))
    if ((waited % 20 == 0)); then
      said=$(activity "$log")
      say "      … ${said:-${1##*/}}"
    fi
  done
  if ! wait "$pid"; then
    tail -n 25 "$log" >&2
    die "failed to run \`$(printf '%s ' "$@" | cut -c1-120)\`; the whole output is in $log"
  fi
}

# The last line of a log that is not empty; of a compiler's command line only what it compiles.
activity() {
  tail -n 5 "$1" | sed -E 's/\x1b\[[0-9;]*m|\r//g; /^ *$/d; s/^.* ([^ ]+\.(c|o|so))$/\1/' |
    tail -n 1 | cut -c1-100
}

# pin SECTION KEY: one value of pins.toml, empty if there is none.
pin() {
  awk -v section="[$1]" -v key="$2" '
    /^\[/ { here = ($1 == section) }
    here && $1 == key { sub(/^[^"]*"/, ""); sub(/".*$/, ""); print; exit }' "$PINS"
}

# pin_section SECTION…: the sections without comments, as input of a hash.
pin_section() {
  local name
  for name in "$@"; do
    awk -v section="[$name]" '/^\[/ { here = ($1 == section) } here && NF && $1 !~ /^#/' "$PINS"
  done
}

# Hashes stdin, which describes the inputs of a step; the hash names the step's folder.
hash_inputs() { sha256sum | cut -c1-16; }

# files_digest PATH…: names and contents of all files below the paths, for hash_inputs.
files_digest() {
  local path
  for path in "$@"; do
    [ -e "$path" ] || continue
    (
      cd "$(dirname "$path")" || exit
      find "$(basename "$path")" -name __pycache__ -prune -o -type f -print0 |
        sort -z | xargs -0 -r sha256sum
    )
  done
}

# workspace NAME: makes an empty scratch folder and prints its path. `finish` moves the result out
# of it in one rename, so that an interrupted build never looks finished.
workspace() {
  local dir="$CACHE/tmp/$1"
  rm -rf "$dir"
  mkdir -p "$dir"
  printf '%s\n' "$dir"
}

finish() {
  mkdir -p "$(dirname "$2")"
  rm -rf "$2"
  mv -T "$1" "$2"
}

# make_current FOLDER: points the link `current` beside it here; a binary without options uses it.
make_current() {
  local link
  link=$(dirname "$1")/current
  ln -sfn "$(basename "$1")" "$link.tmp"
  mv -T "$link.tmp" "$link"
}

# The system that this is built on: what links to its libraries does not run on another.
distribution() { sed -n 's/^\(ID\|VERSION_ID\)=//p' /etc/os-release; }

# must_greet ANSWER: dies unless it is the answer to $INITIALIZE.
must_greet() {
  local wanted='{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05",'
  [[ $1 == "$wanted"*"\"name\":\"$NAME\""* ]] || die "unexpected answer to initialize: $1"
}

# await_listening LOG PID: waits until a server has written its address into LOG; fails if it ends,
# or after a minute.
await_listening() {
  local waited
  for ((waited = 0; waited < 600; waited++)); do
    if grep -q '^listening at ' "$1"; then return; fi
    kill -0 "$2" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}

# One build at a time: the lock lives as long as this process (file descriptor 9).
take_lock() {
  mkdir -p "$CACHE"
  exec 9>"$CACHE/build.lock"
  if ! flock -n 9; then
    say "another build holds $CACHE/build.lock; waiting for it"
    flock 9
  fi
}
