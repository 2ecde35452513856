"""Feeds CPython's own test suite to the real binary, one job for each module.

    suite.py --binary PATH --tests FOLDER [--report FILE] [--jobs N] [--timeout SECONDS] [MODULE...]

FOLDER holds the package `test`. `expected.txt` beside this file says what is left out or fails, and
why. The run fails if a module or a test fails that is not listed there, or if one that is listed
does not fail.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MARK = "cpython-test-result:"
Result = dict[str, Any]
# Of a module: {test or "": "skip" | "fail"}.
Expected = dict[str, str]
# What CI runs: modules that take only a moment and that touch much of the interpreter.
QUICK = """
test_abc test_augassign test_base64 test_binop test_bisect test_bool test_call test_closures
test_collections test_compare test_contextlib test_copy test_csv test_dataclasses test_decorators
test_dict test_enum test_enumerate test_exception_group test_exceptions test_float test_format
test_fractions test_fstring test_functools test_generators test_global test_hash test_heapq
test_html test_int test_itertools test_json test_keyword test_list test_listcomps test_math
test_memoryview test_opcodes test_operator test_pprint test_property test_range test_raise
test_scope test_set test_slice test_string test_strptime test_struct test_sys_setprofile
test_textwrap test_tuple test_types test_unpack test_userdict test_zlib
""".split()


def main() -> int:
    """Run the modules and compare; gives the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--tests", type=Path, required=True)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--raw", type=Path, help="also write every result as a line of JSON")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("modules", nargs="*")
    options = parser.parse_args()
    expected = read_expected(HERE / "expected.txt")
    modules = options.modules or (QUICK if options.quick else all_modules(options.tests))
    modules = [name for name in modules if expected[name].get("") != "skip"]
    with ThreadPoolExecutor(options.jobs) as pool:
        results: list[Result] = []
        for result in pool.map(lambda name: run_module(options, name, expected[name]), modules):
            results.append(result)
            tell(result)
            if options.raw:
                with open(options.raw, "a") as raw:
                    raw.write(json.dumps(result) + "\n")
    problems = [line for result in results for line in compare(result, expected[result["module"]])]
    totals: Counter[str] = Counter()
    for result in results:
        totals.update({name: result[name] for name in ("passed", "skipped", "left_out")})
        totals["bad"] += len(result["bad"])
    print(
        f"{len(results)} modules: {totals['passed']} tests passed,"
        f" {totals['skipped']} skipped themselves, {totals['bad']} fail as expected or not,"
        f" {totals['left_out']} left out"
    )
    if options.report:
        options.report.write_text(report(results, totals, expected))
    print("\n".join(problems))
    return 1 if problems else 0


def all_modules(folder: Path) -> list[str]:
    """Give every module of the suite, as `python -m test` finds them."""
    names = {path.stem for path in (folder / "test").glob("test_*") if path.suffix in ("", ".py")}
    return sorted(names)


def read_expected(path: Path) -> dict[str, Expected]:
    """Read lines `module[.Class.test] skip|fail reason`, by module."""
    expected: dict[str, Expected] = defaultdict(dict)
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, what, _reason = line.split(maxsplit=2)
            module, _, test = name.partition(".")
            expected[module][test] = what
    return expected


def run_module(options: argparse.Namespace, module: str, expected: Expected) -> Result:
    """Run one job; the last line that it prints is its result, without one it has crashed."""
    left_out = [test for test, what in expected.items() if what == "skip"]
    seconds = str(options.timeout)
    command = [str(options.binary), "run", str(HERE / "job.py"), "--runtime", "wasm"]
    command += ["--native", "off", "--packages", str(options.tests)]
    command += ["--timeout", seconds, "--max-timeout", seconds, "--limit-fuel", "10000000"]
    command += ["--limit-memory", "3000", "--limit-file-bytes", "1000", "--limit-files", "20000"]
    command += ["--limit-open-files", "1000", "--", module, *left_out]
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
    )
    for line in reversed(done.stdout.splitlines()):
        if line.startswith(MARK):
            result: Result = json.loads(line.removeprefix(MARK))
            return result
    crashed: Result = {"module": module, "passed": 0, "skipped": 0, "left_out": 0}
    crashed |= {"bad": {}, "reasons": {}, "code": done.returncode}
    return crashed | {"crashed": done.stderr.strip()[-1500:]}


def tell(result: Result) -> None:
    """Print a line about one module."""
    bad = len(result["bad"])
    state = f"{result['passed']} passed, {result['skipped']} skipped, {bad} bad"
    if "crashed" in result:
        state = f"crashed: {result['crashed'][-300:]}"
    elif "module_skipped" in result:
        state = f"skipped: {result['module_skipped']}"
    print(f"{result['module']:32} {state} ({result.get('seconds', 0)} s)", flush=True)


def compare(result: Result, expected: Expected) -> list[str]:
    """Give what is not as expected, a line each."""
    module = result["module"]
    if "crashed" in result:
        return [f"{module} crashed"]
    fail = {test for test, what in expected.items() if what == "fail"}
    bad = set(result["bad"])
    lines = [
        f"{module}.{test} failed: {result['bad'][test].splitlines()[-1]}"
        for test in sorted(bad - fail)
    ]
    return lines + [f"{module}.{test} did not fail" for test in sorted(fail - bad)]


def report(results: list[Result], totals: Counter[str], expected: dict[str, Expected]) -> str:
    """Give the counts as a document."""
    not_run = sum(tests.get("") == "skip" for tests in expected.values())
    lines = [
        "# CPython's own tests in the WASI runtime",
        "",
        "Written by `build-scripts/cpython-tests`; `expected.txt` holds the reason of each test"
        " that is left out or fails.",
        "",
        f"{len(results)} modules run: {totals['passed']} tests pass, {totals['skipped']} skip"
        f" themselves, {totals['bad']} fail as expected, {totals['left_out']} are left out."
        f" {not_run} modules are not run.",
        "",
        "| module | passed | skipped by itself | fails | left out | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for result in results:
        name, note = result["module"], result.get("module_skipped")
        if note:
            lines.append(f"| {name} | whole module skips itself: {note} | | | | |")
        else:
            counts = [result["passed"], result["skipped"], len(result["bad"]), result["left_out"]]
            cells = " | ".join(map(str, [*counts, result.get("seconds", "")]))
            lines.append(f"| {name} | {cells} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
