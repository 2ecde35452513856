# shellcheck shell=bash
# The commands of README.md. A `sh` block has a line above it that says who runs it: `<!-- runnable -->`, `<!-- servers -->` (each
# line starts a server): check-docs; `<!-- docker -->`: docker-test; `<!-- compose -->`: nobody, check-deploy reads its file.

# blocks KIND FILE FOLDER: every block of this kind as FOLDER/KIND-NN.
blocks() {
  awk -v kind="<!-- $1 -->" -v file="$3/$1" '
    $0 ~ "^ *" kind "$" { wanted = 1; next }
    /^ *```sh$/ && wanted { out = sprintf("%s-%02d", file, ++count); next }
    /^ *```$/ { out = ""; wanted = 0 }
    out { sub(/^ +/, ""); print > out }' "$2"
  [ -e "$3/$1-01" ] || die "\`$2\` has no block for $1"
}

# unmarked FILE: where blocks stand that nobody runs.
unmarked() {
  awk '/^ *```sh$/ && last !~ /^ *<!-- (runnable|servers|docker|compose) -->$/ { print FILENAME ":" NR } { last = $0 }' "$1"
}

# commands FILE: the lines of all `sh` blocks, without comments.
commands() {
  awk '/^ *```sh$/ { inside = 1; next } /^ *```$/ { inside = 0 } inside { sub(/ +# .*/, ""); sub(/^ +/, ""); print }' "$1"
}
