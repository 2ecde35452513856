# shellcheck shell=bash disable=SC2164 # package sets -e
# Makes the tree of an installed copy from what was built. It can be moved: nothing in it knows its
# own path.

# shellcheck disable=SC2034 # for `pin`
PINS=$ROOT/wasm-python/pins.toml

DIST_LEVEL=${DIST_LEVEL:-12}

# items TREE: lists what of ours is in a tree, relative to it. Everything else belongs to somebody
# else.
items() {
  (
    cd "$1"
    shopt -s nullglob
    for item in "bin/$NAME" "share/$NAME" "share/doc/$NAME" venv \
      "share/man/man1/$NAME".1 "share/man/man1/$NAME"-*.1 \
      "share/bash-completion/completions/$NAME" "share/zsh/site-functions/_$NAME" \
      "share/fish/vendor_completions.d/$NAME.fish" "lib/systemd/system/$NAME.service"; do
      [ ! -e "$item" ] || printf '%s\n' "$item"
    done
  )
}

product_version() { sed -n 's/^version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml" | head -n 1; }

# stage_tree FOLDER full|wasm-only
stage_tree() {
  local unit=lib/systemd/system/$NAME.service
  [ -x "$PRODUCT" ] || die "\`$PRODUCT\` is not built; run make build"
  mkdir -p "$1/bin" "$1/share/$NAME"
  cp "$PRODUCT" "$1/bin/$NAME"
  stage_guest "$1/share/$NAME/guest"
  stage_shell_help "$1/share"
  stage_documents "$1/share/doc/$NAME"
  mkdir -p "$1/lib/systemd/system"
  sed "s|@PREFIX@|${PREFIX%/}|" "$ROOT/deploy/systemd/$NAME.service" >"$1/$unit"
  if [ "$2" = full ]; then
    stage_python "$1/share/$NAME/python"
    stage_venv "$1/venv"
  fi
}

copy() { cp -R --preserve=mode,timestamps,links "$@"; }

# With the compiled form, which is code for every CPU of this architecture: a small machine would
# need a minute to compile it.
stage_guest() {
  local guest compiled
  guest=$("$ROOT/build-scripts/build-python" --print guest) ||
    die "the guest is not built; run make python"
  compiled=$("$PRODUCT" precompile --artefact "$guest")
  mkdir -p "$1"
  copy "$guest"/{python.wasm.gz,manifest.json,lib,bootstrap} "$1/"
  copy "$compiled" "$1/"
}

stage_shell_help() {
  mkdir -p "$1"/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
  "$PRODUCT" man --out "$1/man/man1"
  "$PRODUCT" completions bash >"$1/bash-completion/completions/$NAME"
  "$PRODUCT" completions zsh >"$1/zsh/site-functions/_$NAME"
  "$PRODUCT" completions fish >"$1/fish/vendor_completions.d/$NAME.fish"
}

stage_documents() {
  mkdir -p "$1"
  cp "$ROOT"/{LICENSE,README.md,LIMITATIONS.md,SECURITY.md,CHANGELOG.md} "$1/"
  mkdir -p "$1/docs"
  cp "$ROOT"/docs/*.{md,png} "$1/docs/"
}

# Without what needs a display or a compiler, and without bytecode of optimisation levels that
# nobody uses. pip stays, for adding packages: PREFIX/share/mcp-python-sandbox/python/bin/python3 -m
# pip --python PREFIX/venv/bin/python install …
stage_python() {
  local python
  python=$("$ROOT/build-scripts/build-python" --print native) ||
    die "the native CPython is not built; run make python"
  mkdir -p "$1/bin" "$1/lib"
  copy "$python/bin/python3.13" "$1/bin/"
  ln -s python3.13 "$1/bin/python3"
  copy "$python/lib/python3.13" "$1/lib/"
  (
    cd "$1/lib/python3.13"
    rm -rf idlelib tkinter turtledemo turtle.py ensurepip lib-dynload/_tkinter.* config-3.13-*
    find . -name '*.opt-[12].pyc' -delete
    find site-packages -mindepth 1 -maxdepth 1 ! -name 'pip*' -exec rm -rf {} +
  )
  if command -v strip >/dev/null; then
    strip --strip-all "$1/bin/python3.13"
    strip --strip-unneeded "$1"/lib/python3.13/lib-dynload/*.so
  fi
}

# A venv can be moved if its interpreter is a relative link and its pyvenv.cfg names no home: Python
# then takes the home where the link leads. Without commands, whose first line is a path, and
# without the packages' own tests.
stage_venv() {
  local venv
  venv=$("$ROOT/build-scripts/build-venv" --print) || die "the venv is not built; run make venv"
  mkdir -p "$1/bin" "$1/share"
  copy "$venv"/{lib,requirements.txt,sandbox-manifest.json} "$1/"
  copy "$venv/share/matplotlib-cache" "$1/share/"
  find "$1/lib/python3.13/site-packages" -type d -name tests -prune -exec rm -rf {} +
  printf 'include-system-site-packages = false\nversion = %s\n' "$(pin cpython version)" \
    >"$1/pyvenv.cfg"
  ln -s "../../share/$NAME/python/bin/python3.13" "$1/bin/python3.13"
  ln -s python3.13 "$1/bin/python3"
  ln -s python3.13 "$1/bin/python"
}

# portable_font_list VENV: removes the fonts of the machine that packs.
portable_font_list() {
  [ -d "$1" ] || return 0
  "$1/bin/python" -I "$ROOT/build-scripts/portable_fonts.py" \
    "$1"/share/matplotlib-cache/fontlist-*.json
}

# pack FOLDER NAME FILE: packs NAME below FOLDER into one archive. The same files give the same
# bytes: names are sorted, there is one time and one owner, which is root.
pack() {
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --mode=u+rwX,go+rX,go-w --format=gnu -C "$1" -cf - "$2" |
    zstd -q -T0 "-$DIST_LEVEL" -f -o "$3"
}

# checksums: writes those of everything in dist/ into dist/SHA256SUMS.
checksums() {
  local sums
  sums=$(
    cd "$ROOT/dist"
    find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum --
  )
  printf '%s\n' "$sums" >"$ROOT/dist/SHA256SUMS"
}
