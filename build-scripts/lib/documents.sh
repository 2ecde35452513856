# shellcheck shell=bash
# The commands in README.md and docs/. A line above each `sh` block says who runs it:
# `<!-- runnable -->`, `<!-- servers -->` (each line starts a server): check-docs;
# `<!-- docker -->`: docker-test; `<!-- compose -->`: nobody, check-deploy reads its file;
# `<!-- wheel -->`: nobody, check-wheel installs in the same ways.

# documents ROOT: what a reader follows, in this order, relative to ROOT.
documents() { (cd "$1" && printf '%s\n' README.md docs/*.md); }

# in_chinese DOCUMENT: its translation.
in_chinese() {
  case $1 in
    docs/*) printf 'docs/zh/%s\n' "${1#docs/}" ;;
    *) printf '%s.zh.md\n' "${1%.md}" ;;
  esac
}

# blocks KIND ROOT FOLDER: every block of this kind, in all documents, as FOLDER/KIND-NN.
blocks() {
  local -a files
  mapfile -t files < <(documents "$2" | sed "s|^|$2/|")
  awk -v kind="<!-- $1 -->" -v file="$3/$1" '
    $0 ~ "^ *" kind "$" { wanted = 1; next }
    /^ *```sh$/ && wanted { out = sprintf("%s-%02d", file, ++count); next }
    /^ *```$/ { out = ""; wanted = 0 }
    out { sub(/^ +/, ""); print > out }' "${files[@]}"
  [ -e "$3/$1-01" ] || die "the documents have no block for $1"
}

# unmarked FILE: where blocks stand that nobody runs.
unmarked() {
  awk '
    /^ *```sh$/ && last !~ /^ *<!-- (runnable|servers|docker|compose|wheel) -->$/ {
      print FILENAME ":" NR
    }
    { last = $0 }' "$1"
}

# commands FILE: the lines of all `sh` blocks, without comments.
commands() {
  awk '/^ *```sh$/ { inside = 1; next } /^ *```$/ { inside = 0 }
    inside { sub(/ +# .*/, ""); sub(/^ +/, ""); print }' "$1"
}

# broken_links FILE: relative links that lead to no file.
broken_links() {
  local link
  { grep -oE '\]\([^)]+\)|src="[^"]+"' "$1" || true; } |
    sed -E 's/^(\]\(|src=")//; s/[)"]$//; s/#.*//' |
    while IFS= read -r link; do
      [[ -z $link || $link == *://* || -e ${1%/*}/$link ]] || printf '%s: %s\n' "$1" "$link"
    done
}

# documented_options FILE: `--option default` for each row of its tables.
documented_options() {
  awk -F' *[|] *' '
    $2 ~ /^`--/ { gsub(/`/, ""); split($2, option, " "); print option[1], $3 }' "$1" |
    sed 's/ $//' | sort
}

# real_options SERVER: the same from its help.
real_options() {
  "$1" serve --help | awk '
    match($0, /^ +(-[a-zA-Z], )?--[a-z-]+/) {
      option = substr($0, RSTART, RLENGTH); sub(/.* /, "", option); all[option] = ""
    }
    match($0, /\[default: [^]]*\]/) { all[option] = " " substr($0, RSTART + 10, RLENGTH - 11) }
    END { for (option in all) if (option !~ /^--(help|version)$/) print option all[option] }' | sort
}
