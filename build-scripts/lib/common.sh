# shellcheck shell=bash disable=SC2034 # the variables are for the scripts that source this file
# What every build script shares: progress lines, logged commands with a heartbeat, pins, hashes, the cache and its lock.
# Everything here writes to stderr; stdout belongs to the script's answer.

NAME=mcp-python-sandbox
CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/$NAME"
TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}
PRODUCT=$TARGET_DIR/release/$NAME
JOBS="${MCP_PYTHON_SANDBOX_BUILD_JOBS:-$(nproc)}"
START_SECONDS=$SECONDS
# The manual test: the first message of a client.
INITIALIZE='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"test","version":"0.1"}}}'

# One wording and one sort order everywhere; timestamps inside archives and .pyc files do not depend on the day.
export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH=1735689600
umask 022

say() { printf '%5ds %s\n' "$((SECONDS - START_SECONDS))" "$*" >&2; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# logged LOG COMMAND…: runs COMMAND with its output in LOG; every 20 s a line tells what it is doing, or its name.
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

# The last line of a log that says something; of a compiler's command line only what it compiles.
activity() {
  tail -n 5 "$1" | sed -E 's/\x1b\[[0-9;]*m|\r//g; /^ *$/d; s/^.* ([^ ]+\.(c|o|so))$/\1/' | tail -n 1 | cut -c1-100
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

# Reads the description of a step's inputs from stdin; its hash names the step's folder.
hash_inputs() { sha256sum | cut -c1-16; }

# files_digest PATH…: names and contents of all files below the paths, for hash_inputs.
files_digest() {
  local path
  for path in "$@"; do
    [ -e "$path" ] || continue
    (cd "$(dirname "$path")" && find "$(basename "$path")" -name __pycache__ -prune -o -type f -print0 |
      sort -z | xargs -0 -r sha256sum)
  done
}

# workspace NAME: an empty scratch folder; finish moves a result out of it, in one rename, so that an
# interrupted build never looks finished.
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

# make_current FOLDER: what a binary without options uses is the link `current` beside it.
make_current() {
  local link
  link=$(dirname "$1")/current
  ln -sfn "$(basename "$1")" "$link.tmp"
  mv -T "$link.tmp" "$link"
}

# The system that is built on: what is linked to its libraries is of no use on another.
distribution() { sed -n 's/^\(ID\|VERSION_ID\)=//p' /etc/os-release; }

# must_greet ANSWER: it must be what a client hears that has said $INITIALIZE.
must_greet() {
  [[ $1 == '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05",'*"\"name\":\"$NAME\""* ]] ||
    die "unexpected answer to initialize: $1"
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
