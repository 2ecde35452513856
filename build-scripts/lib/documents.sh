# shellcheck shell=bash
# The commands of README.md. The line above a `sh` block says who runs it:
#   <!-- runnable -->   check-docs
#   <!-- servers -->    check-docs; each line starts a server
#   <!-- docker -->     docker-test
#   <!-- compose -->    nobody; check-deploy reads the file that it uses

# blocks KIND FILE FOLDER: writes every block of this kind to FOLDER/KIND-NN.
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
  awk '
    /^ *```sh$/ && last !~ /^ *<!-- (runnable|servers|docker|compose) -->$/ {
      print FILENAME ":" NR
    }
    { last = $0 }' "$1"
}

# commands FILE: the lines of all `sh` blocks, without comments.
commands() {
  awk '
    /^ *```sh$/ { inside = 1; next }
    /^ *```$/ { inside = 0 }
    inside { sub(/ +# .*/, ""); sub(/^ +/, ""); print }' "$1"
}
