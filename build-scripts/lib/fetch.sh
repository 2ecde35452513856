# shellcheck shell=bash
# Fetches the pinned sources.

# A pinned file has upstream's name in the download folder, or Debian's where Debian repacked it.
upstream_file() { basename "$(pin "$1" url)"; }
debian_file() {
  if [ -n "$(pin "$1" url)" ] && [ -z "$(pin "$1" debian_sha256)" ]; then
    upstream_file "$1"
  else
    pin "$1" debian
  fi
}

# source_file SECTION: the name of the file in the download folder, or nothing if there is none yet.
source_file() {
  local name
  for name in "$(upstream_file "$1")" "$(debian_file "$1")"; do
    if [ -n "$name" ] && [ -e "$CACHE/downloads/$name" ]; then
      printf '%s\n' "$name"
      return
    fi
  done
}

unpack() { tar -xf "$CACHE/downloads/$(source_file "$1")" -C "$2" --strip-components=1; }

# fetch_sources SECTION…: gets every file into the download folder, unless it is there: from
# upstream, or else from Debian.
fetch_sources() {
  local section file
  mkdir -p "$CACHE/downloads"
  for section in "$@"; do
    file=$CACHE/downloads/$(source_file "$section")
    if [ -f "$file" ]; then
      right_hash "$section" "$file" || die "\`$file\` is not the pinned $section:" \
        "delete it to fetch it again, or correct wasm-python/pins.toml"
      continue
    fi
    fetch_upstream "$section" || fetch_debian "$section" ||
      die "failed to fetch $section $(pin "$section" version):" \
        "put $(wanted "$section") into $CACHE/downloads"
  done
}

wanted() {
  local name
  name=$(pin "$1" url)
  printf '%s (SHA-256 %s)\n' "${name:-$(pin "$1" debian)}" "$(pin "$1" sha256)"
}

# A file is right if it is upstream's or, where Debian repacked it, Debian's.
right_hash() {
  local sum
  sum=$(sha256sum <"$2" | cut -d' ' -f1)
  [ "$sum" = "$(pin "$1" sha256)" ] || [ "$sum" = "$(pin "$1" debian_sha256)" ]
}

# keep SECTION FROM NAME: FROM becomes NAME in the download folder if its hash is right.
keep() {
  if right_hash "$1" "$2"; then
    mv -f "$2" "$CACHE/downloads/$3"
  else
    say "      wrong SHA-256 for $1 ($(basename "$2")): not used;" \
      "the pin in wasm-python/pins.toml is of another file"
    rm -f "$2"
    return 1
  fi
}

fetch_upstream() {
  local url
  url=$(pin "$1" url)
  [ -n "$url" ] && command -v curl >/dev/null || return 1
  say "      $1 from $url"
  local part
  part=$CACHE/tmp/$(upstream_file "$1")
  mkdir -p "$CACHE/tmp"
  curl -fsSL --connect-timeout 5 --speed-limit 1000 --speed-time 20 -o "$part" "$url" \
    2>/dev/null || {
    rm -f "$part"
    return 1
  }
  keep "$1" "$part" "$(upstream_file "$1")"
}

# Debian's archive, through the mirror of this machine, with lists and a cache of our own, so that
# the machine's apt is not changed. A package may have other files, which need not arrive.
fetch_debian() {
  local package file command apt=$CACHE/tmp/apt
  package=$(pin "$1" debian_package)
  file=$(pin "$1" debian)
  [ -n "$file" ] && command -v apt-get >/dev/null || return 1
  say "      $1 from Debian's archive ($(pin debian suite), $package)"
  debian_archive "$apt" || return 1
  case $file in
    *.deb) command=(download "$package=$(pin "$1" version)") ;;
    *) command=(source --only-source --download-only "$package") ;;
  esac
  (cd "$apt" && debian_apt "$apt" "${command[@]}") >>"$apt/log" 2>&1
  if [ ! -e "$apt/$file" ]; then
    say "      Debian's archive has no \`$file\` (any more): a newer version replaced it;" \
      "see $apt/log and change the pin"
    return 1
  fi
  keep "$1" "$apt/$file" "$(debian_file "$1")"
}

debian_archive() {
  local mirror codename
  [ ! -e "$1/ready" ] || return 0
  codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  # shellcheck disable=SC2016 # apt replaces these, not the shell
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' |
    awk -v name="$codename" '$2 == name && !/security/ { print $1; exit }')
  [ -n "$mirror" ] || return 1
  rm -rf "$1"
  mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
  cat >"$1/archive.sources" <<END
Types: deb deb-src
URIs: $mirror
Suites: $(pin debian suite)
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
  debian_apt "$1" update >"$1/log" 2>&1 || return 1
  touch "$1/ready"
}

debian_apt() {
  local dir=$1
  shift
  apt-get -q -o Dir::Etc::sourcelist="$dir/archive.sources" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$dir/lists" -o Dir::Cache="$dir/cache" -o APT::Sandbox::User=root "$@"
}
