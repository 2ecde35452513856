"""Code as models write it."""

import sys
import unittest

from .harness import both, guest, plain_python


class Source(unittest.TestCase):
    def check(self, code, stdout, notes=(), **options):
        """The code runs in both runtimes with this output, and with exactly these notes."""
        for result in both(code, **options):
            self.assertEqual(result.stdout, stdout, result.report)
            self.assertEqual(result.notes, list(notes))
            self.assertEqual(result.code, 0)
        return result

    def test_fences(self):
        note = ["markdown fences around the code were ignored"]
        self.check("```python\nprint(1)\n```", "1\n", note)
        self.check("```\nprint(1)\n```\n", "1\n", note)
        self.check(
            "Here is the code:\n\n```py\nx = 1\n```\nand then\n```python\nprint(x)\n```\nDone.",
            "1\n",
            note,
        )
        self.check("```python\nprint(1)", "1\n", note)
        self.check("~~~python\nprint('```')\n~~~", "```\n", note)
        self.check("````python\ntext = '''\n```\n'''\nprint(len(text))\n````", "5\n", note)

    def test_fences_inside_of_a_string_stay(self):
        self.check("print('''\n```python\nx\n```\n''')", "\n```python\nx\n```\n\n")

    def test_fences_keep_line_numbers(self):
        for result in both("text\n```python\n1 / 0\n```"):
            self.assertIn(
                'File "main.py", line 3, in <module>\n    1 / 0\n    ~~^~~\n', result.traceback
            )

    def test_bom_and_cookie(self):
        self.check("\ufeff# -*- coding: latin-1 -*-\ns = 'é€漢'\nprint(len(s), s)", "3 é€漢\n")

    def test_line_ends(self):
        self.check(
            "def f(a):\r\n\tif a:\r\n\t\treturn '''x\r\ny'''\r\r\x0c\r\nprint(repr(f(1)))\r\n",
            "'x\\ny'\n",
        )

    def test_empty(self):
        for code in ("", "# only a comment", "   \n\t\n", "pass", "if 1:\n  x=1", "\n\n"):
            self.check(code, "")

    def test_indented_as_a_whole(self):
        note = ["the code was indented as a whole; the indentation was removed"]
        self.check(
            "    import math\n    def f():\n        return 'in'\n    print(f())\n", "in\n", note
        )
        self.check(
            "```python\n    print(1)\n```",
            "1\n",
            ["markdown fences around the code were ignored", *note],
        )

    def test_future_import_first(self):
        code = (
            '"""doc"""\n# c\nfrom __future__ import annotations\ndef f(x: Nothing): return x\n'
            "print(f(1), __doc__)"
        )
        self.check(code, "1 doc\n")

    def test_magics(self):
        code = (
            "%matplotlib inline\nimport math\n!pip install numpy\nif True:\n    !ls -l\n%%time\n"
            "print(math.sqrt(16))\nmath?"
        )
        self.check(
            code,
            "4.0\n",
            [
                "line 1: `%matplotlib inline` was ignored: figures are shown anyway",
                "line 3: `!pip install numpy` was ignored: "
                "packages cannot be installed in a job; what is installed can be imported",
                "line 5: `!ls -l` was ignored: no shell commands here; use os, shutil or pathlib",
                "line 6: `%%time` was ignored: notebook magics do not exist here",
                "line 8: `math?` was ignored: notebook magics do not exist here",
            ],
        )

    def test_installers_and_other_languages(self):
        note = "packages cannot be installed in a job; what is installed can be imported"
        self.check(
            "pip install numpy\nprint(1)",
            "1\n",
            [f"line 1: `pip install numpy` was ignored: {note}"],
        )
        self.check(
            "%%bash\necho hi | wc\nfor",
            "",
            [
                (
                    "line 1: the `%%bash` cell was ignored: no shell commands here; use os, "
                    "shutil or pathlib"
                )
            ],
        )
        self.check(
            "%%writefile a.py\nx = (",
            "",
            [
                (
                    "line 1: the `%%writefile` cell was ignored: write the file in Python: "
                    "open(path, 'w').write(text)"
                )
            ],
        )

    def test_prompts(self):
        code = ">>> def f():\n...     return 7\n...\n>>> print(f())\n7\n>>> f() + 1\n8"
        self.check(
            code, "7\n8\n", ["the prompts of an interactive session, and its output, were removed"]
        )

    def test_what_stays_broken_is_told_once(self):
        for result in both("!ls\nx = = 1"):
            self.assertEqual(
                result.traceback,
                '  File "main.py", line 2\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n',
            )

    def test_modulo_at_the_start_of_a_line_is_no_magic(self):
        self.check("x = (7\n% 4)\nprint(x)\nprint('%s'\n% x)", "3\n3\n")
        for result in both("x = (7\n% 4)\ny = = 1"):
            self.assertIn("line 3\n    y = = 1\n", result.traceback)

    def test_typographic_characters_stay_errors(self):
        code = "x = 1\nprint(“hello”)\nprint(‘a’)\nprint(“b”)"
        for result in both(code):
            self.assertEqual(result.traceback, plain_python(code).stderr)
            self.assertEqual(
                result.notes,
                [
                    (
                        "lines 2, 4: U+201C (left double quotation mark) is not valid in Python "
                        'code; write " instead'
                    )
                ],
            )
        code = "if True:\n\u00a0   print(1)"
        self.assertEqual(
            guest(code).notes,
            ["line 2: U+00A0 (no-break space) is not valid in Python code; write a space instead"],
        )
        self.assertEqual(guest("print（1）").report["error"]["type"], "SyntaxError")

    def test_escaped_code(self):
        result = guest("import math\\nprint(math.pi)")
        self.assertEqual(result.report["error"]["type"], "SyntaxError")
        self.assertEqual(
            result.notes,
            ["the code holds \\n where line breaks were meant: it was escaped once too often"],
        )
        self.assertEqual(len(guest("if 1 &lt; 2: pass").notes), 1)

    def test_null_bytes_and_surrogates(self):
        result = guest("print(1)\0")
        self.assertEqual(result.report["error"]["type"], "SyntaxError")
        self.check(
            "print('a\ud83d')", "a\ufffd\n", ["lone surrogates in the code were replaced by U+FFFD"]
        )
        self.check("print('\ud83d\ude00')", "\U0001f600\n")

    def test_top_level_await(self):
        self.check("import asyncio\nx = await asyncio.sleep(0, 5)\nprint(x)", "5\n")
        self.check(
            "import asyncio\nt = asyncio.ensure_future(asyncio.sleep(0, 'task'))\nawait t",
            "'task'\n",
        )
        self.check(
            (
                "async def g():\n    yield 1\nprint([x async for x in g()])\n"
                "async for y in g():\n    print(y)"
            ),
            "[1]\n1\n",
        )

    def test_deep_expressions(self):
        deep = 3000 if sys.version_info >= (3, 13) else 2000  # as far as plain Python gets
        self.check("print(" + "+".join(["1"] * deep) + ")", f"{deep}\n")
        self.assertIn(
            guest("(" * 300 + ")" * 300).report["error"]["type"], ("SyntaxError", "MemoryError")
        )

    def test_warnings_of_the_compiler_come_once(self):
        code = "x = '\\d'\nif x is 'a':\n    pass\nprint(1)"
        for result in both(code):
            self.assertEqual(result.stderr, plain_python(code).stderr)

    def test_input(self):
        code = (
            "try:\n    input('Name: ')\nexcept EOFError as e:\n    print(e)\nimport sys\n"
            "print(repr(sys.stdin.read()))"
        )
        self.check(
            code,
            (
                "Name: EOF when reading a line (nobody can type here: write the value into the "
                "code)\n''\n"
            ),
        )
        self.check("import sys, io\nsys.stdin = io.StringIO('a\\n')\nprint(input() * 2)", "aa\n")
        for result in both("input()"):
            self.assertTrue(result.traceback.endswith("write the value into the code)\n"))
            self.assertNotIn("sandbox_bootstrap", result.traceback)


class MainModule(unittest.TestCase):
    """The job's module is `__main__` in every respect."""

    def test_as_python(self):
        for code in (
            "print(__name__, __doc__, __package__, __spec__, __builtins__.len)",
            "if __name__ == '__main__':\n    print('main')",
            "X = type('X', (), {})\nprint(X.__module__, X)",
            "import sys\nprint(sys.modules['__main__'].__dict__ is globals(), sys.argv[1:])",
            (
                "import pickle\nclass A: pass\ndef f(): return 1\n"
                "print(type(pickle.loads(pickle.dumps(A()))), pickle.loads(pickle.dumps(f))())"
            ),
            "from __future__ import annotations\nimport dataclasses, typing\n"
            "@dataclasses.dataclass\nclass P:\n    x: int\n"
            "    t: typing.ClassVar[str] = ''\nprint(P(1), typing.get_type_hints(P))",
            (
                "import inspect\ndef f():\n    # comment\n    return 1\nclass A:\n    y = 2\n"
                "print(inspect.getsource(f), inspect.getsource(A), inspect.getsourcelines(f)[1])"
            ),
            "K = 3\nclass C:\n    v = [K * i for i in range(K)]\nprint(C.v, (lambda: K)())",
            (
                "import os\n"
                "print(os.path.basename(__file__), os.path.isabs(__file__), "
                "os.path.dirname(__file__) == os.getcwd())"
            ),
            "x: int = 1\nprint(__annotations__)",
            "print(sorted(n for n in globals() if n != '__annotations__'))",
            "import enum\nclass C(enum.Enum):\n    RED = 1\nprint(repr(C.RED), C.__module__)",
            "def f():\n    global g\n    g = 1\nf()\nprint(g)",
            "import __main__\n__main__.z = 4\nprint(z)",
        ):
            expected = plain_python(code)
            for result in both(code):
                with self.subTest(code):
                    self.assertEqual(result.stdout, expected.stdout, result.report)
