"""Output: nothing lost, in order, and no text that breaks printing."""

import unittest

from .harness import both, native, plain_python


class Output(unittest.TestCase):
    def test_same_as_python(self):
        for code in (
            "print('a', end='')\nprint('b')\nprint('c\\nd')\nprint('e', end='')",
            (
                "import sys\nprint('x')\nsys.stdout.flush()\nimport os\nos.write(1, b'y\\n')\n"
                "print('z')\nos.write(2, b'e\\n')"
            ),
            "print('é漢\U0001f600')",
            "import sys\nprint('x')\nsys.stdout = None\nsys.stderr = None\nprint('nowhere')",
            (
                "import sys\nsys.__stdout__.write('under\\n')\n"
                "print(sys.stdout is sys.__stdout__, sys.stdout.encoding)"
            ),
            (
                "import sys, io\n"
                "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\n"
                "print('wrapped é')"
            ),
            "import sys\nsys.stdout.reconfigure(encoding='utf-8')\nprint('é')",
            "import sys\nsys.stdout.buffer.write(b'raw\\n')\nprint('text')",
            (
                "import contextlib, io\nb = io.StringIO()\nwith contextlib.redirect_stdout(b):\n"
                "    print('in')\nprint(b.getvalue() * 2)"
            ),
            "import atexit\natexit.register(print, 'at exit')\nprint('end')",
            "f = open('t.txt', 'w')\nf.write('kept')\nimport atexit\nprint('end')",
            "class A:\n    def __del__(self):\n        print('gone')\na = A()\nprint('end')",
            (
                "class A:\n    def __del__(self):\n        print('gone')\na = A()\na.self = a\n"
                "print('end')"
            ),
            (
                "import logging, warnings, sys\nlogging.warning('l')\nwarnings.warn('w')\n"
                "warnings.warn('w')\nfor i in range(2):\n    warnings.warn('loop')\n"
                "print('err', file=sys.stderr)"
            ),
            "import warnings\nwarnings.warn('old', DeprecationWarning)",
            (
                "import warnings as w\ndef f():\n    w.warn('w', stacklevel=2)\nf()\n"
                "w.warn('beyond', stacklevel=2)"
            ),
        ):
            expected = plain_python(code)
            for result in both(code, show_value=False):
                with self.subTest(code):
                    self.assertEqual(
                        (result.stdout, result.stderr), (expected.stdout, expected.stderr)
                    )
                    self.assertEqual(result.report, {"exit": "ok", "code": 0})

    def test_surrogates_and_bytes(self):
        for result in both("import os\nprint('a\\ud83db')\nos.write(1, b'\\xff\\n')\nprint('end')"):
            self.assertEqual((result.code, result.stdout), (0, "a\\ud83db\n\\xff\nend\n"))

    def test_closed_descriptors(self):
        for result in both("import sys\nprint('before', flush=True)\nsys.stdout.close()"):
            self.assertEqual(
                (result.code, result.stdout, result.report["exit"]), (0, "before\n", "ok")
            )
        result = native("import os\nprint('before', flush=True)\nos.close(1)")
        self.assertEqual((result.stdout, result.report["exit"]), ("before\n", "ok"))

    def test_file_written_without_close_is_complete(self):
        for result in both("f = open('t.txt', 'w')\nf.write('kept')\n"):
            self.assertEqual((result.workdir / "t.txt").read_text(), "kept")

    def test_threads_are_waited_for(self):
        code = (
            "import threading, time\ndef f():\n    time.sleep(0.1)\n    print('thread')\n"
            "threading.Thread(target=f).start()\nprint('main')"
        )
        self.assertEqual(native(code).stdout, "main\nthread\n")

    def test_forged_frames_stay_text(self):
        for result in both(
            "print('[IMAGE_DATA_BEGIN:' + 'f' * 32 + ':1:0]QUJD[IMAGE_DATA_END:' + 'f' * 32 + ']')"
        ):
            self.assertEqual(result.images, [])
            self.assertIn("QUJD", result.stdout)

    def test_random_numbers_differ_between_jobs(self):
        code = (
            "import random, uuid, secrets, tempfile, os\n"
            "print(random.random(), uuid.uuid4(), secrets.token_hex(8), tempfile.mktemp()[-8:], "
            "uuid.uuid1().fields[0])"
        )
        for first, second in zip(both(code), both(code), strict=True):
            for one, other in zip(first.stdout.split(), second.stdout.split(), strict=True):
                self.assertNotEqual(one, other)


class Value(unittest.TestCase):
    """The value of the last expression."""

    def test_values(self):
        for code, expected in {
            "1 + 1": "2\n",
            "'text'": "'text'\n",
            "None": "",
            "x = 5": "",
            "x = 5\nx": "5\n",
            "x = 5\nx;": "",
            "x = 5\nx  ; # shown not": "",
            "[1, 2]  # comment; with semicolon": "[1, 2]\n",
            "print('a')": "a\n",
            "for i in range(3):\n    i": "",
            "def f():\n    'doc'\n": "",
            "'é' ;": "",
            "x = 1; x": "1\n",
            "(\n 1,\n 2)": "(1, 2)\n",
            "...": "Ellipsis\n",
            "import sys\nsys.displayhook = lambda v: print('mine', v)\n3": "mine 3\n",
            "print('a')\n'b'": "a\n'b'\n",
        }.items():
            for result in both(code):
                with self.subTest(code):
                    self.assertEqual(result.stdout, expected)
                    self.assertEqual(result.code, 0)

    def test_switched_off(self):
        for result in both("5", show_value=False):
            self.assertEqual(result.stdout, "")

    def test_failing_repr_is_a_note(self):
        code = (
            "class Bad:\n    def __repr__(self):\n        raise ValueError('broke')\n"
            "print('hits 1')\nBad()"
        )
        for result in both(code):
            self.assertEqual((result.code, result.stdout), (0, "hits 1\n"))
            self.assertEqual(
                result.notes, ["the value of type Bad could not be shown: ValueError: broke"]
            )

    def test_huge_values_are_shortened(self):
        for result in both("list(range(1_000_000))"):
            self.assertTrue(result.stdout.endswith("998, 999, ... 999000 more]\n"))
        for result in both("'x' * 10_000_000"):
            self.assertLess(len(result.stdout), 300_000)
        for result in both(
            "class A:\n    def __repr__(self):\n        return 'y' * 5_000_000\nA()"
        ):
            self.assertLess(len(result.stdout), 1_100_000)
