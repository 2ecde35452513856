"""Runs one module of CPython's test suite, in the guest; the last line out is the result as JSON.

job.py MODULE [TEST-TO-LEAVE-OUT...]
"""

import json
import sys
import time
import unittest
from collections import Counter
from types import TracebackType
from typing import Any
from unittest import TestCase, TestSuite

MARK = "cpython-test-result:"
Error = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]


class Result(unittest.TestResult):
    """Collects names instead of printing."""

    def __init__(self) -> None:
        super().__init__()
        self.passed = 0
        self.bad: dict[str, str] = {}
        self.reasons: Counter[str] = Counter()

    def addSuccess(self, _test: TestCase) -> None:
        self.passed += 1

    def addExpectedFailure(self, _test: TestCase, _err: Error) -> None:
        self.passed += 1

    def addUnexpectedSuccess(self, test: TestCase) -> None:
        self.bad[name_of(test)] = "unexpected success"

    def addSkip(self, test: TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.reasons[reason] += 1

    def addError(self, test: TestCase, err: Error) -> None:
        self.bad[name_of(test)] = self.last_lines(err, test)

    addFailure = addError

    def addSubTest(self, test: TestCase, _subtest: TestCase, err: Error | None) -> None:
        if err is not None:
            self.bad[name_of(test)] = self.last_lines(err, test)

    def last_lines(self, err: Error, test: TestCase) -> str:
        """Give the end of a traceback."""
        text: str = self._exc_info_to_string(err, test)  # type: ignore[attr-defined]
        return text.strip()[-600:]


def name_of(test: TestCase) -> str:
    """Give `Class.test_name`; for a failed setUpClass `setUpClass (…)`."""
    parts = test.id().split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 else str(test)


def leave_out(suite: TestSuite, names: set[str]) -> tuple[TestSuite, int]:
    """Give the tests of `suite` without those that are named, and how many these are."""
    kept = TestSuite()
    left = 0
    for test in suite:
        if isinstance(test, TestSuite):
            inner, gone = leave_out(test, names)
            kept.addTest(inner)
            left += gone
        elif name_of(test) in names or name_of(test).partition(".")[0] in names:
            left += 1
        else:
            kept.addTest(test)
    return kept, left


def run(suite: TestSuite) -> Result:
    """Run tests as regrtest does, by calling the suite; one of them counts the frames above it."""
    result = Result()
    suite(result)
    return result


def main(module: str, *names: str) -> None:
    """Run the module and print the result."""
    # Tests leave out what needs `ctypes` where there is none; a stand-in is not what they ask for.
    sys.modules["ctypes"] = None  # type: ignore[assignment]
    from test import support

    support.use_resources = []
    started = time.monotonic()
    answer: dict[str, Any] = {"module": module, "passed": 0, "skipped": 0, "left_out": 0}
    answer |= {"bad": {}, "reasons": {}}
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName("test." + module)
        suite, answer["left_out"] = leave_out(suite, set(names))
        result = run(suite)
        answer |= {"passed": result.passed, "skipped": len(result.skipped)}
        answer |= {"bad": result.bad, "reasons": result.reasons}
    except unittest.SkipTest as reason:
        answer["module_skipped"] = str(reason)
    answer["seconds"] = round(time.monotonic() - started, 1)
    print()
    print(MARK + json.dumps(answer))


if __name__ == "__main__":
    sys.stdout.flush()
    main(*sys.argv[1:])
