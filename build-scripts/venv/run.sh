# shellcheck shell=bash
# Runs a long command so that a person can follow it, stops it with us, and turns its failure into one line.

CHILD=""
trap stop_child EXIT
trap 'stopped 130' INT
trap 'stopped 143' TERM HUP

stopped() {
  say "stopped; the same command goes on from here"
  exit "$1"
}

# A child is a process group of its own: without this a compiler would go on after Ctrl-C.
stop_child() {
  if [ -n "$CHILD" ]; then kill -TERM -- "-$CHILD" 2>/dev/null || true; fi
}

# watch LABEL LOG COMMAND…: the command's output goes to LOG; every 20 s a line says how far it is. Returns its status.
watch() {
  local label=$1 log=$2 began=$SECONDS next=20 status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  set -m
  ("$@" || exit $?) >"$log" 2>&1 </dev/null & # the subshell keeps bash's own remark on a signal out of our output
  CHILD=$!
  set +m
  while kill -0 "$CHILD" 2>/dev/null; do
    sleep 0.2
    if ((SECONDS - began >= next)); then
      say "      … $label, $((SECONDS - began)) s: $(last_words "$log")"
      next=$((next + 20))
    fi
  done
  wait "$CHILD" || status=$?
  CHILD=""
  return "$status"
}

last_words() { tail -c 2000 "$1" | tr '\r' '\n' | grep -v '^ *$' | tail -n 1 | sed 's/^ *//' | cut -c1-90; }

# What to do about a failed pip: explain_failure WHAT LOG.
explain_failure() {
  local what=$1 log=$2
  if grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    die "wrong hash: $(hash_mismatch "$log"). The index or a proxy served another file than the one that was pinned;" \
      "do not use it. If the pin is out of date: build-scripts/venv/pin_hashes.py"
  elif grep -qE 'No space left on device|Disk quota exceeded' "$log"; then
    die "disk full while $what: make room in $CACHE (a venv takes about 700 MB, a source build 3 GB more), then run this again"
  elif grep -qE 'NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|Max retries exceeded|ProxyError|SSLError|Network is unreachable' "$log"; then
    die "no network while $what: pip reached no package index. Connect, or set HTTPS_PROXY or PIP_INDEX_URL, then run this again" \
      "(what is there already is kept); pip's output is in $log"
  elif grep -qE '\(from versions: (none)?\)|No matching distribution found' "$log"; then
    die "failed $what: the package index has no file for this machine ($(uname -m), $(getconf GNU_LIBC_VERSION)): $(
      grep -m1 'No matching distribution found' "$log" | sed 's/^.*found for //' | cut -c1-80); the output is in $log"
  fi
  tail -n 25 "$log" >&2
  die "failed $what; the whole output is in $log"
}

hash_mismatch() {
  awk '/DO NOT MATCH/ { on = 1; next }
    on && / from / { file = $1 }
    on && $1 == "Expected" { wanted = $3 }
    on && $1 == "Got" { printf "%s has sha256 %s, pinned is %s", file, $2, wanted; exit }' "$1"
}

# with_lock NAME COMMAND…: one at a time on this machine; a lock dies with its holder.
with_lock() {
  local name=$1 fd status=0
  shift
  mkdir -p "$CACHE/locks"
  exec {fd}>"$CACHE/locks/$name"
  if ! flock -n "$fd"; then
    say "another build-venv is at the same work; waiting for it"
    flock "$fd"
  fi
  "$@" || status=$?
  exec {fd}>&-
  return "$status"
}
