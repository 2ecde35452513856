# shellcheck shell=bash
# Drives a server over stdio, as a client does, and takes the times.

READY='{"jsonrpc":"2.0","method":"notifications/initialized"}'
CODE='import sys, json; print(json.dumps([1, 2]), sys.platform)\n6 * 7'
CALL='{"jsonrpc":"2.0","id":2,"method":"tools/call",'
CALL+='"params":{"name":"run_python","arguments":{"code":"'$CODE'"}}}'

# drive COMMAND…: prints the milliseconds from the start to the answers, and checks every answer.
drive() {
  local began answered called from to
  coproc SERVER { "$@"; }
  began=$(date +%s%N)
  printf '%s\n' "$INITIALIZE" >&"${SERVER[1]}"
  IFS= read -r from <&"${SERVER[0]}"
  answered=$(date +%s%N)
  must_greet "$from"
  printf '%s\n%s\n' "$READY" "$CALL" >&"${SERVER[1]}"
  IFS= read -r from <&"${SERVER[0]}"
  called=$(date +%s%N)
  [[ $from == *'[1, 2] wasi\n42'* ]] || die "unexpected answer to the call: $from"
  printf 'initialize %d ms, first call %d ms\n' \
    $(((answered - began) / 1000000)) $(((called - began) / 1000000))
  # It ends with its input.
  to=${SERVER[1]}
  exec {to}>&-
  wait "$SERVER_PID" || die "the server ended with $?"
}
