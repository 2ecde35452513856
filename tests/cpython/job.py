"""Runs one module of CPython's test suite, in the guest; the last line of its output is the result as JSON.

    job.py MODULE [TEST-TO-LEAVE-OUT...]
"""

import io
import json
import sys
import time
import unittest

MARK = "cpython-test-result:"


class Result(unittest.TestResult):
    """Collects names instead of printing."""

    def __init__(self):
        super().__init__()
        self.passed = 0
        self.bad = {}
        self.reasons = {}

    def addSuccess(self, test):
        self.passed += 1

    def addExpectedFailure(self, test, err):
        self.passed += 1

    def addUnexpectedSuccess(self, test):
        self.bad[name_of(test)] = "unexpected success"

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.reasons[reason] = self.reasons.get(reason, 0) + 1

    def addError(self, test, err):
        self.bad[name_of(test)] = self.last_lines(err, test)

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.bad[name_of(test)] = self.last_lines(err, test)

    def last_lines(self, err, test):
        return self._exc_info_to_string(err, test).strip()[-600:]


def name_of(test):
    """`Class.test_name`, for a failed setUpClass `setUpClass (…)`."""
    parts = test.id().split(".")
    return ".".join(parts[-2:]) if test.id().startswith("test.") or "." in test.id() else str(test)


def leave_out(suite, names):
    """The tests of `suite` without those that are named."""
    kept = unittest.TestSuite()
    left = 0
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            inner, gone = leave_out(test, names)
            kept.addTest(inner)
            left += gone
        elif name_of(test) in names or name_of(test).partition(".")[0] in names:
            left += 1
        else:
            kept.addTest(test)
    return kept, left


def main(module, *names):
    # Tests leave out what needs `ctypes` where there is none; a stand-in is not what they ask for.
    sys.modules["ctypes"] = None
    from test import support

    support.use_resources = []
    started = time.monotonic()
    answer = {"module": module, "passed": 0, "skipped": 0, "left_out": 0, "bad": {}, "reasons": {}}
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName("test." + module)
        suite, answer["left_out"] = leave_out(suite, set(names))
        result = Result()
        suite.run(result)
        answer.update(
            passed=result.passed, skipped=len(result.skipped), bad=result.bad, reasons=result.reasons
        )
    except unittest.SkipTest as reason:
        answer["module_skipped"] = str(reason)
    answer["seconds"] = round(time.monotonic() - started, 1)
    print()
    print(MARK + json.dumps(answer))


if __name__ == "__main__":
    sys.stdout.flush()
    main(*sys.argv[1:])
