"""Tracebacks and exit codes: exactly those of `python main.py`."""

import re
import sys
import unittest

from .harness import both, guest, native, plain_python, without_calls

SAME_AS_PYTHON = {
    "uncaught": "x = {'a': 1}\nx['b']\n",
    "nested calls with carets": (
        "def f(a, b):\n    return a / b\n\ndef g():\n    return f(1,\n             0)\n\n"
        "print(g())\n"
    ),
    "attribute suggestion": "import math\nmath.squrt(2)\n",
    "name suggestion": "value = 1\nprint(valeu)\n",
    "forgotten import": "print(math.pi)\n",
    "chained by from": (
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('outer') from e\n"
    ),
    "chained by context": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    undefined\n",
    "suppressed context": (
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError('alone') from None\n"
    ),
    "notes": "e = ValueError('with notes')\ne.add_note('first\\nsecond')\nraise e\n",
    "group": (
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n"
        "    raise ExceptionGroup('several', [e, TypeError('second')])\n"
    ),
    "nested group": (
        "raise ExceptionGroup('a', [ValueError(1), ExceptionGroup('b', [TypeError(2), "
        "KeyError('k')])])\n"
    ),
    "no message": "raise RuntimeError\n",
    "message over lines": "raise ValueError('one\\ntwo')\n",
    "own class": "class Odd(Exception):\n    pass\nraise Odd('x')\n",
    "broken str": (
        "class Odd(Exception):\n    def __str__(self):\n        raise RuntimeError('no text')\n"
        "raise Odd()\n"
    ),
    "from the library": "import json\njson.loads('{')\n",
    "in a comprehension": "print([1 / n for n in (1, 0)])\n",
    "in a lambda": "(lambda: undefined)()\n",
    "in a class body": "class A:\n    x = 1 / 0\n",
    "in exec": "exec('1 / 0')\n",
    "assert": "assert 1 == 2, 'not equal'\n",
    "keyboard interrupt": "raise KeyboardInterrupt\n",
    "unclosed bracket": "x = 1\nprint('open', x\ny = 2\n",
    "invalid syntax": "for i in range(3) print(i)\n",
    "print statement": "print 'hello'\n",
    "bad indentation": "def f():\nreturn 1\n",
    "unindent": "if True:\n        x = 1\n    y = 2\n",
    "tabs and spaces": "if True:\n\tx = 1\n        y = 2\n",
    "return outside": "x = 1\nreturn x\n",
    "break outside": "break\n",
    "unterminated string": "x = 'abc\ny = 1\n",
    "unterminated triple": "x = '''abc\ny = 1\n",
    "bad f-string": "f'{a b}'\n",
    "nonlocal at module level": "nonlocal x\n",
    "duplicate argument": "def f(a, a): pass\n",
    "assignment in expression": "if x = 1:\n    pass\n",
    "keyword typo": "whille True:\n    pass\n",
    "relative import": "from . import helper\n",
    "name not in module": "from math import squrt\n",
    "syntax error in exec": "exec('a b')\n",
    "raised through contextlib": (
        "import contextlib\n@contextlib.contextmanager\ndef c():\n    yield\nwith c():\n"
        "    raise KeyError('k')\n"
    ),
    "generator": "def g():\n    yield 1\n    raise ValueError('in g')\nlist(g())\n",
    "asyncio": (
        "import asyncio\nasync def main():\n    raise ValueError('in main')\nasyncio.run(main())\n"
    ),
}

CODES = {
    "import sys; sys.exit()": 0,
    "import sys; sys.exit(0)": 0,
    "import sys; sys.exit(3)": 3,
    "import sys; sys.exit(213)": 213,
    "import sys; sys.exit(-1)": 255,
    "import sys; sys.exit(256)": 0,
    "import sys; sys.exit(True)": 1,
    "import sys; sys.exit(10**30)": 255,
    "raise SystemExit(59)": 59,
    "exit(4)": 4,
    "quit()": 0,
}


class Tracebacks(unittest.TestCase):
    maxDiff = None

    def test_same_as_python(self):
        for name, code in SAME_AS_PYTHON.items():
            expected = plain_python(code, uncaught=True)
            for result in both(code, show_value=False):
                with self.subTest(name):
                    self.assertEqual(result.traceback, expected.stderr)
                    self.assertEqual(result.stdout, expected.stdout)
                    self.assertEqual(result.stderr, "")
                    self.assertEqual(result.report["exit"], "exception")

    def test_same_with_a_value_to_show(self):
        for name in (
            "uncaught",
            "nested calls with carets",
            "in a comprehension",
            "bad f-string",
            "return outside",
        ):
            code = SAME_AS_PYTHON[name]
            with self.subTest(name):
                self.assertEqual(guest(code).traceback, plain_python(code).stderr)

    def test_recursion(self):
        result = native("def f(n):\n    return f(n + 1)\nf(0)\n")
        lines = without_calls(result.traceback).splitlines()
        underlined = ["    ~^^^"] if sys.version_info >= (3, 13) else []
        self.assertEqual(
            lines[: 6 + len(underlined)],
            [
                "Traceback (most recent call last):",
                '  File "main.py", line 3, in <module>',
                "    f(0)",
                *underlined,
                '  File "main.py", line 2, in f',
                "    return f(n + 1)",
                '  File "main.py", line 2, in f',
            ],
        )
        self.assertRegex(lines[-2], r"^  \[Previous line repeated 9\d\d more times\]$")
        self.assertEqual(lines[-1], "RecursionError: maximum recursion depth exceeded")

    def test_memory_error(self):
        for result in both("x = [1]\nx * 2**60\n"):
            self.assertEqual(result.traceback, plain_python("x = [1]\nx * 2**60\n").stderr)
            self.assertEqual(result.report["error"]["type"], "MemoryError")

    def test_printed_by_the_job_itself(self):
        code = (
            "import traceback, logging\n"
            "def f():\n    open('/mnt/data/nothing')\n"
            "try:\n    f()\nexcept OSError:\n    traceback.print_exc()\n"
            "    logging.exception('logged')\n"
        )
        expected = plain_python(code)
        self.assertEqual(native(code).stderr, expected.stderr)

    def test_stack_ends_at_the_job(self):
        code = "import traceback\ndef f():\n    traceback.print_stack()\nf()\n"
        expected = plain_python(code)
        for result in both(code):
            self.assertEqual(result.stderr, expected.stderr)

    def test_in_a_thread(self):
        code = (
            "import threading\ndef f():\n    1 / 0\nt = threading.Thread(target=f)\nt.start()\n"
            "t.join()\nprint('on')\n"
        )
        result = native(code)
        self.assertEqual(result.stderr, plain_python(code).stderr)
        self.assertEqual((result.code, result.stdout), (0, "on\n"))

    def test_in_a_destructor(self):
        code = "class A:\n    def __del__(self):\n        1 / 0\na = A()\ndel a\nprint('on')\n"
        for result in both(code):
            expected = without_calls(plain_python(code).stderr)
            self.assertEqual(_without_addresses(result.stderr), _without_addresses(expected))
            self.assertEqual((result.code, result.stdout), (0, "on\n"))

    def test_top_level_await(self):
        code = "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    1 / 0\nawait f()\n"
        for result in both(code):
            self.assertEqual(
                result.traceback,
                'Traceback (most recent call last):\n  File "main.py", line 5, in <module>\n'
                "    await f()\n"
                '  File "main.py", line 4, in f\n    1 / 0\n    ~~^~~\n'
                "ZeroDivisionError: division by zero\n",
            )

    def test_own_excepthook(self):
        code = (
            "import sys\n"
            "sys.excepthook = lambda kind, value, tb: print('hook', kind.__name__, tb.tb_lineno)\n"
            "1 / 0\n"
        )
        for result in both(code):
            self.assertEqual(result.stdout, "hook ZeroDivisionError 3\n")
            self.assertEqual(result.traceback, "")
            self.assertEqual(result.code, 1)

    def test_broken_excepthook(self):
        code = (
            "import sys\ndef hook(*a):\n    raise TypeError('in hook')\nsys.excepthook = hook\n"
            "1 / 0\n"
        )
        for result in both(code):
            self.assertEqual(result.traceback, plain_python(code).stderr)

    def test_huge_message(self):
        for result in both("raise ValueError('z' * 10_000_000)"):
            self.assertLess(len(result.traceback), 210_000)
            self.assertTrue(result.traceback.startswith("Traceback (most recent call last):\n"))
            self.assertLess(len(result.report["error"]["message"]), 11_000)

    def test_types_are_named_as_python_names_them(self):
        self.assertEqual(
            guest("import json\njson.loads('')").report["error"]["type"],
            "json.decoder.JSONDecodeError",
        )
        self.assertEqual(guest("class E(Exception): pass\nraise E").report["error"]["type"], "E")

    def test_line_of_a_file_of_the_same_name_is_not_taken(self):
        for result in both("x = 1\nreturn x\n", files={"main.py": "wrong\nwrong\n"}):
            self.assertIn("    return x\n", result.traceback)


class ExitCodes(unittest.TestCase):
    def test_codes(self):
        for code, expected in CODES.items():
            for result in both(code):
                with self.subTest(code):
                    self.assertEqual(
                        (result.code, result.report["code"], result.report["exit"]),
                        (expected, expected, "exit"),
                    )
                    self.assertNotIn("error", result.report)

    def test_text(self):
        for result in both("import sys\nprint('step')\nsys.exit('bad input: 3 rows')"):
            self.assertEqual(
                (result.code, result.stdout, result.stderr), (1, "step\n", "bad input: 3 rows\n")
            )

    def test_end_of_the_code(self):
        for result in both("print(1)"):
            self.assertEqual(result.report, {"exit": "ok", "code": 0})

    def test_interrupt(self):
        self.assertEqual(guest("raise KeyboardInterrupt").code, 130)

    def test_os_exit_keeps_what_was_printed(self):
        for result in both("import os\nprint('about to leave')\nos._exit(7)"):
            self.assertEqual(
                (result.code, result.stdout, result.report), (7, "about to leave\n", {})
            )

    def test_exit_in_a_thread_is_silent(self):
        result = native(
            "import threading, sys\nt = threading.Thread(target=sys.exit)\nt.start()\n"
            "t.join()\nprint('on')"
        )
        self.assertEqual((result.code, result.stdout, result.stderr), (0, "on\n", ""))


def _without_addresses(text: str) -> str:
    return re.sub("0x[0-9a-f]+", "0x", text)


class Resilience(unittest.TestCase):
    """What a job can do to the interpreter must not keep it from reporting."""

    def test_reports_arrive(self):
        for code, kind in {
            "import sys\nsys.setrecursionlimit(60)\n1 / 0": "ZeroDivisionError",
            "import sys\nsys.settrace(lambda *a: 1 / 0)\nraise KeyError": "KeyError",
            "raise ValueError('\\ud83d')": "ValueError",
            "import builtins\nbuiltins.print = builtins.repr = None\n1 / 0": "ZeroDivisionError",
            "import sys\nsys.modules.clear()\n1 / 0": "ZeroDivisionError",
            (
                "import json, traceback\njson.dumps = traceback.format_exc = None\n1 / 0"
            ): "ZeroDivisionError",
            "import os\nos.write = os.dup = None\n1 / 0": "ZeroDivisionError",
            "import gc\ngc.disable()\nglobals().clear()\n1 / 0": "ZeroDivisionError",
            "import sys\nsys.stderr.close()\nsys.stdout.close()\n1 / 0": "ZeroDivisionError",
            "import sys\ndel sys.stdout, sys.stderr, sys.__stdout__\n1 / 0": "ZeroDivisionError",
            "import os\nos.chdir('/')\nos.environ.clear()\n1 / 0": "ZeroDivisionError",
            "import _thread\nclass E(BaseException): pass\nraise E": "E",
        }.items():
            for result in both(code):
                with self.subTest(code):
                    self.assertEqual(
                        result.report.get("error", {}).get("type"),
                        kind,
                        (result.report, result.stderr),
                    )

    def test_files_named_like_modules_that_we_use(self):
        files = {
            f"{name}.py": ""
            for name in ("json", "traceback", "dis", "base64", "linecache", "time", "ast", "types")
        }
        for result in both("import json\n1 / 0", files=files):
            self.assertTrue(
                result.traceback.startswith(
                    'Traceback (most recent call last):\n  File "main.py", line 2, in <module>\n'
                )
            )
            self.assertTrue(result.traceback.endswith("ZeroDivisionError: division by zero\n"))
