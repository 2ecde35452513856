# shellcheck shell=bash
# Runs a long command: shows how far it is, stops it when the script is stopped, and explains its
# failure in one line.

CHILD=""
trap stop_child EXIT
trap 'stopped 130' INT
trap 'stopped 143' TERM HUP

stopped() {
  say "stopped; run the same command to go on"
  exit "$1"
}

# A child has a process group of its own, so Ctrl-C does not reach its compilers.
stop_child() {
  if [ -n "$CHILD" ]; then kill -TERM -- "-$CHILD" 2>/dev/null || true; fi
}

# watch LABEL LOG COMMAND…: runs the command with its output in LOG; every 20 s a line says how far
# it is. Returns its status.
watch() {
  local label=$1 log=$2 began=$SECONDS next=20 status=0
  shift 2
  mkdir -p "$(dirname "$log")"
  set -m
  # In a subshell, so that bash's own message about a signal goes to the log too.
  ("$@" || exit $?) >"$log" 2>&1 </dev/null &
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

last_words() {
  tail -c 2000 "$1" | tr '\r' '\n' | grep -v '^ *$' | tail -n 1 | sed 's/^ *//' | cut -c1-90
}

# pip WHAT ARGUMENT…: runs pip; explains its failure.
pip() {
  local what=$1 log
  log=$LOGS/pip-${1// /-}.log
  shift
  PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_PROGRESS_BAR=off \
    watch "$what" "$log" "$PY" -m pip "$@" || explain_failure "$what" "$log"
}

NO_NETWORK='NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|Max retries exceeded'
NO_NETWORK+='|ProxyError|SSLError|Network is unreachable'

# explain_failure WHAT LOG: says what to do about a failed pip.
explain_failure() {
  local what=$1 log=$2 package
  if grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    die "wrong hash: $(hash_mismatch "$log"). The index or a proxy served another file than the" \
      "pinned one: do not use it. If the pin is out of date: build-scripts/venv/pin_hashes.py"
  elif grep -qE 'No space left on device|Disk quota exceeded' "$log"; then
    die "disk full while $what: make room in $CACHE (a venv takes about 700 MB," \
      "a source build 3 GB more), then run this again"
  elif grep -qE "$NO_NETWORK" "$log"; then
    die "no network while $what: pip reached no package index. Connect, or set HTTPS_PROXY or" \
      "PIP_INDEX_URL, then run this again (what is there is kept); pip's output is in $log"
  elif grep -qE '\(from versions: (none)?\)|No matching distribution found' "$log"; then
    package=$(sed -n 's/^.*No matching distribution found for //p' "$log" | head -n 1 | cut -c1-80)
    die "failed $what: the package index has no file for this machine" \
      "($(uname -m), $(getconf GNU_LIBC_VERSION)): $package; the output is in $log"
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

# with_lock NAME COMMAND…: runs it alone on this machine; a lock ends with its holder.
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
