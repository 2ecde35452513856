# shellcheck shell=bash
# Runs each package's small job in a process of its own, on the CPU of this machine or on a
# simulated one.

RUNNER=${BUILD_VENV_RUN:-}
# A job takes a second or two; emulated, on a small machine, a minute.
JOB_SECONDS=900
# A package comes after those that it depends on, so the first that dies is the one to blame.
CHECK_ORDER="numpy pandas scipy scikit-learn Pillow lxml matplotlib seaborn requests
  beautifulsoup4 urllib3 yfinance openpyxl xlrd PyPDF2 python-docx python-dateutil networkx sympy"
[ "$PACKAGES" = science ] || CHECK_ORDER+=" pyarrow polars statsmodels XlsxWriter python-pptx
  scikit-image pypdf reportlab shapely plotly"

# The features of the CPU that decide what runs; other flags may change with the kernel.
cpu_level() {
  local flags wanted
  flags=" $(sed -n 's/^\(flags\|Features\)[[:space:]]*: //p' /proc/cpuinfo | head -n 1) "
  for wanted in pni ssse3 sse4_1 sse4_2 popcnt avx f16c fma avx2 bmi2 avx512f avx512bw \
    3dnowprefetch; do
    case $flags in *" $wanted "*) printf '%s ' "$wanted" ;; esac
  done
}

jobs_inputs() {
  files_digest "$PINNED/jobs"
  printf '%s\n' "$RUNNER" "$(cpu_level)"
}

# Where auto keeps what it has decided for these inputs on this CPU.
decision_file() {
  local key
  key=$({ venv_key "" ""; source_inputs; jobs_inputs; } | hash_inputs)
  printf '%s/venv/auto-%s\n' "$CACHE" "$key"
}

check_or_die() {
  if ! check_venv "$1"; then
    if [ "$CHECK_RESULT" = illegal ]; then
      die "\`$CHECK_PACKAGE\` dies of an illegal instruction in this venv:" \
        "use --auto or --from-source; the output is in $CHECK_LOG"
    fi
    die "$CHECK_MESSAGE"
  fi
}

# check_venv AGAIN: whether all jobs pass in VENV; if not, it sets CHECK_RESULT (illegal, failed),
# CHECK_PACKAGE, CHECK_LOG and CHECK_MESSAGE. Jobs that have passed run again only if AGAIN is not
# empty.
check_venv() {
  local stamp package count=0
  stamp=$CACHE/venv/checks/$({ printf '%s\n' "$KEY" "$VENV"; jobs_inputs; } | hash_inputs)
  if [ -z "$1" ] && [ -f "$stamp" ]; then return; fi
  need_runner
  say "each package's small job${RUNNER:+, run by: $RUNNER}"
  for package in $CHECK_ORDER; do
    run_job "$package" || return 1
    count=$((count + 1))
  done
  say "$count of $count jobs pass"
  mkdir -p "$(dirname "$stamp")"
  : >"$stamp"
}

need_runner() {
  [ -n "$RUNNER" ] || return 0
  command -v "${RUNNER%% *}" >/dev/null ||
    die "no command \`${RUNNER%% *}\`, which BUILD_VENV_RUN names:" \
      "apt-get install -y qemu-user-static"
}

run_job() {
  local package=$1 status=0 work answer version settings=() began=$SECONDS runner=()
  read -ra runner <<<"$RUNNER"
  CHECK_PACKAGE=$package
  CHECK_LOG=$LOGS/jobs-$KEY/$package.log
  mkdir -p "$CACHE/tmp"
  work=$(mktemp -d "$CACHE/tmp/job-XXXXXX")
  mapfile -t settings < <(sed -n 's/^ *"\(OPENBLAS_CORETYPE\)": "\([A-Za-z]*\)".*/\1=\2/p' \
    "$VENV/sandbox-manifest.json")
  mkdir "$work/matplotlib"
  find "$VENV/share/matplotlib-cache" -name 'fontlist-*.json' -exec ln -s -t "$work/matplotlib" {} +
  watch "job of $package" "$CHECK_LOG" env -i -C "$work" PATH=/usr/bin:/bin HOME="$work" \
    TMPDIR="$work" MPLCONFIGDIR="$work/matplotlib" LANG=C.UTF-8 \
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "${settings[@]}" timeout "$JOB_SECONDS" \
    "${runner[@]}" "$VENV/bin/python" -I -B -X utf8 "$PINNED/jobs/$package.py" || status=$?
  rm -rf "$work"
  answer=$(tail -n 1 "$CHECK_LOG")
  version=$(pin_of "$package" | sed 's/^[^=]*==\([^ ]*\).*/\1/')
  if ((status == 0)) && [ "$answer" = "ok $package $version" ]; then
    say "      $answer ($((SECONDS - began)) s)"
    return
  fi
  if is_illegal "$status" "$CHECK_LOG"; then
    CHECK_RESULT=illegal
    say "      $package: illegal instruction"
  else
    CHECK_RESULT=failed
    CHECK_MESSAGE="the job of $package failed (exit code $status, last line \`$answer\`,"
    CHECK_MESSAGE+=" wanted \`ok $package $version\`); its output is in $CHECK_LOG"
  fi
  return 1
}

# 132: ended by SIGILL. numpy may also notice that the CPU is below its baseline, and say so.
is_illegal() {
  (($1 == 132)) || { (($1 != 0)) && grep -qE 'baseline optimizations|Illegal instruction' "$2"; }
}
