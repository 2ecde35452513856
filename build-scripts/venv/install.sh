# shellcheck shell=bash
# Makes a venv of pinned requirements. The manifest is written last and has the key of all inputs: a
# venv without it, or with another key, is unfinished and made again.

PINNED=$ROOT/native-python
WHEELS=$CACHE/wheels
LOGS=$CACHE/logs/venv
HELPERS=$ROOT/build-scripts/venv

# Which list is installed, and a file of the operator's own requirements beside it.
PACKAGES=${PACKAGES:-science}
EXTRA=${EXTRA:-}
case $PACKAGES in
  science) LISTS=(requirements.txt) ;;
  full) LISTS=(requirements.txt requirements-full.txt) ;;
  *) die "\`PACKAGES=$PACKAGES\` is no list: science or full" ;;
esac
[ -z "$EXTRA" ] || [ -r "$EXTRA" ] || die "\`EXTRA=$EXTRA\` cannot be read: name a file for pip"

# locate_venv SOURCE BLAS: sets VENV and KEY for a venv in which the packages of SOURCE are compiled
# ("": none) and OpenBLAS uses the kernel BLAS ("": the one that it chooses).
locate_venv() {
  KEY=$(venv_key "$1" "$2")
  VENV=${AT:-$CACHE/venv/$KEY}
}

venv_key() {
  {
    printf 'venv 1\n%s\n%s\n%s\n%s\n' "$PY" "$(uname -m)" "$1" "$2"
    all_pins
    [ -z "$EXTRA" ] || cat "$EXTRA"
    [ -z "$1" ] || source_inputs
    declare -f install_venv install_extra compile_bytecode
    cat "$HELPERS"/{requirements,manifest,warm_matplotlib}.py
  } | hash_inputs
}

# The requirements without comments.
pins_of() { grep -v '^#' "$PINNED/$1"; }

# Those of the list that is installed.
all_pins() {
  local list
  for list in "${LISTS[@]}"; do pins_of "$list"; done
}

is_finished() { grep -qs "\"key\": \"$KEY\"" "$VENV/sandbox-manifest.json"; }

# ensure_venv SOURCE [BLAS]: makes it if it is missing, and then sets VENV_IS_NEW.
ensure_venv() {
  VENV_IS_NEW=""
  locate_venv "$1" "${2:-}"
  if is_finished; then return; fi
  check_target
  build_source_wheels "$1"
  with_lock venv install_if_missing "$1" "${2:-}"
}

check_target() {
  "$PY" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))' ||
    die "\`$PY\` is not CPython 3.13"
  if [ -n "$AT" ] && [ -n "$(ls -A "$AT" 2>/dev/null)" ] && [ ! -f "$AT/pyvenv.cfg" ]; then
    die "\`$AT\` has files in it and is no venv: name another folder with --at"
  fi
}

install_if_missing() {
  if is_finished; then return; fi
  fetch_wheels
  install_venv "$1" "$2"
  say "venv finished: $(du -sm "$VENV" | cut -f1) MB"
  # shellcheck disable=SC2034 # read by auto
  VENV_IS_NEW=yes
}

# Wheels are kept as they were published; those that are there need no network.
fetch_wheels() {
  local wanted=$LOGS/wanted.txt count
  mkdir -p "$WHEELS" "$LOGS"
  all_pins >"$LOGS/pins.txt"
  "$PY" "$HELPERS/requirements.py" missing "$LOGS/pins.txt" "$WHEELS" >"$wanted"
  count=$(wc -l <"$wanted")
  ((count)) || return 0
  say "fetching $count wheels into $WHEELS (all of them are 150 MB)"
  pip "fetching wheels" download --require-hashes --no-deps --only-binary :all: \
    --dest "$WHEELS" -r "$wanted"
}

# A venv cannot be moved, so it is made in its final place.
install_venv() {
  local source=$1 blas=$2 site=$VENV/lib/python3.13/site-packages
  say "venv in $VENV${source:+, from source: $source}"
  rm -rf "$VENV"
  mkdir -p "$(dirname "$VENV")"
  "$PY" -m venv --without-pip "$VENV"
  link_wheels "$source" "$VENV/wheels"
  "$PY" "$HELPERS/requirements.py" install "$LOGS/pins.txt" "$VENV/wheels" "$source" \
    >"$VENV/requirements.txt" || die "failed to read the source-built wheels; see above"
  pip "installing the wheels" --python "$VENV/bin/python" install --no-index \
    --find-links "$VENV/wheels" --require-hashes --no-deps --no-compile -r "$VENV/requirements.txt"
  rm -r "$VENV/wheels"
  [ -z "$EXTRA" ] || install_extra
  pip "checking that the pinned versions fit together" --python "$VENV/bin/python" check
  compile_bytecode "$site"
  warm_matplotlib
  "$VENV/bin/python" -I "$HELPERS/manifest.py" "$VENV" "$KEY" "$source" "$blas" ||
    die "failed to write the venv's manifest; see above"
}

# What the operator wants beside the list, which keeps its versions. pip allows no bounds without
# hashes beside requirements with hashes.
install_extra() {
  local bounds=()
  say "what $EXTRA names"
  if ! grep -q -e '--hash=' "$EXTRA"; then
    sed 's/ .*//' "$VENV/requirements.txt" >"$LOGS/bounds.txt"
    bounds=(--constraint "$LOGS/bounds.txt")
  fi
  pip "installing the extra requirements" --python "$VENV/bin/python" install --no-compile \
    "${bounds[@]}" -r "$EXTRA"
}

# link_wheels SOURCE FOLDER: links one wheel for each package. If pip saw both, it would take the
# published one and then find its hash wrong.
link_wheels() {
  local one wheel
  mkdir "$2"
  ln -s "$WHEELS"/*.whl "$2/"
  for one in $1; do
    rm -f "$2/${one//-/_}"-[0-9]*.whl
    for wheel in "$(source_folder "$one")"/*.whl; do ln -s "$wheel" "$2/"; done
  done
}

# Jobs may not write, so the bytecode must be there. It is not compared with its source
# (unchecked-hash), so that a copy of the venv without its times is valid. The packages' own tests
# would be a third of it, and are left out.
compile_bytecode() {
  say "bytecode"
  watch "compiling bytecode" "$LOGS/bytecode.log" "$VENV/bin/python" -I -m compileall -q \
    -j "$JOBS" --invalidation-mode unchecked-hash -x '/tests/' "$1" ||
    say "some files have no bytecode (templates that are no Python); see $LOGS/bytecode.log"
}

# Without this the first plot of every job would list the fonts of the system, which takes a second.
warm_matplotlib() {
  say "matplotlib's font list"
  local folder=$VENV/share/matplotlib-cache status=0
  mkdir -p "$folder"
  env -i PATH="$PATH" HOME="$folder" MPLCONFIGDIR="$folder" \
    "$VENV/bin/python" -I "$HELPERS/warm_matplotlib.py" >"$LOGS/warm.log" 2>&1 || status=$?
  if is_illegal "$status" "$LOGS/warm.log"; then
    say "numpy's wheel does not run on this CPU (illegal instruction);" \
      "--auto or --from-source compiles it"
  elif ((status)); then
    explain_failure "drawing matplotlib's first plot" "$LOGS/warm.log"
  fi
}

remove_venv() {
  say "removing $VENV"
  rm -rf "$VENV"
}
