"""Nothing that a job does keeps its own exception, or the line of it, out of the answer."""

import unittest

from .harness import both

END = "\ndef fail():\n    raise ValueError('the reason')\n\nfail()\n"

_LOUD = "def broken(*a, **k):\n    raise TypeError('broken')\n"
BUILTINS = (
    "repr str len isinstance issubclass print open type getattr setattr hasattr id list tuple "
    "dict set iter next range map any all sorted vars super property compile exec __import__ "
    "__build_class__ Exception BaseException KeyError ImportError"
).split()

BEFORE = {
    "hook is None": "import sys\nsys.excepthook = None\n",
    "hook is gone": "import sys\ndel sys.excepthook\n",
    "silent hook": "import sys\nsys.excepthook = lambda *a: None\n",
    "hook that says too little": "import sys\nsys.excepthook = lambda *a: print('oops')\n",
    "hook that leaves": "import sys\nsys.excepthook = lambda *a: sys.exit(0)\n",
    "no trace": "import sys\nsys.tracebacklimit = 0\n",
    "odd limit": "import sys\nsys.tracebacklimit = 'x'\n",
    "no stderr": "import sys\nsys.stderr = sys.__stderr__ = None\n",
    "no streams": "import sys\nsys.stdout = sys.stderr = sys.__stdout__ = object()\n",
    "closed streams": "import sys\nsys.stdout.close()\nsys.stderr.close()\n",
    "stream that leaves": (
        "import sys\nclass Out:\n    def write(self, text): pass\n"
        "    def flush(self): raise SystemExit(0)\nsys.stdout = Out()\n"
    ),
    "traceback is None": "import sys\nsys.modules['traceback'] = None\n",
    "traceback is broken": (
        _LOUD + "import traceback\ntraceback.TracebackException.__init__ = broken\n"
        "traceback.StackSummary.format = broken\ntraceback.walk_tb = broken\n"
    ),
    "no modules": "import sys\nfor name in list(sys.modules):\n    sys.modules[name] = None\n",
    "modules cleared": "import sys\nsys.modules.clear()\n",
    "library is broken": (
        _LOUD + "import linecache, io, json, re, os, textwrap, base64, tokenize, warnings, ast\n"
        "for module in (linecache, io, json, json.encoder, re, textwrap, base64, tokenize, ast):\n"
        "    for name, value in list(vars(module).items()):\n"
        "        if callable(value):\n            setattr(module, name, broken)\n"
        "os.write = os.stat = os.getcwd = broken\n"
    ),
    "no finders": "import sys\nsys.meta_path.clear()\nsys.path.clear()\nsys.path_hooks.clear()\n",
    "trace function": (
        "import sys\ndef trace(frame, event, arg):\n"
        "    if frame.f_code.co_filename != 'main.py': raise KeyError('trace')\n"
        "    return trace\nsys.settrace(trace)\n"
    ),
    "no recursion": "import sys\nsys.setrecursionlimit(60)\n",
    "exit handler": "import atexit, os\natexit.register(os._exit, 1)\n",
    "builtins cleared": (
        "import builtins\nkept = {n: getattr(builtins, n) for n in ('ValueError', '__name__')}\n"
        "names = vars(builtins)\nnames.clear()\nnames.update(kept)\n"
    ),
    **{
        f"{name} is {how}": f"{_LOUD}import builtins\nbuiltins.{name} = {value}\n"
        for name in BUILTINS
        for how, value in (("None", "None"), ("broken", "broken"), ("a lie", "lambda *a: True"))
    },
}

DISGUISED = {
    "__str__ fails": "def __str__(self): raise KeyError('x')",
    "__str__ leaves": "def __str__(self): raise SystemExit(0)",
    "__str__ gives no text": "def __str__(self): return 5",
    "__str__ gives a liar": (
        "def __str__(self):\n        class S(str):\n"
        "            def __format__(s, spec): raise SystemExit(0)\n"
        "            __len__ = __str__ = __iter__ = __getitem__ = __format__\n"
        "        return S('text')"
    ),
    "__str__ is endless text": "def __str__(self): return 'x' * 50_000_000",
    "__class__": "__class__ = SystemExit",
    "__traceback__": "__traceback__ = property(lambda self: None, lambda self, value: None)",
    "__cause__": "__cause__ = property(lambda self: self)",
    "__context__": "__context__ = property(lambda self: 1 / 0)",
    "__notes__": "__notes__ = property(lambda self: 1 / 0)",
    "__getattribute__": "def __getattribute__(self, name): raise SystemExit(0)",
    "__eq__ and __hash__": "__hash__ = None\n    def __eq__(self, other): return 1 / 0",
    "__bool__": "def __bool__(self): raise SystemExit(0)",
}


class Silencing(unittest.TestCase):
    def test_by_what_came_before(self):
        for what, code in BEFORE.items():
            line = code.count("\n") + 3
            for result in both(code + END):
                with self.subTest(what):
                    self.assertIn("error", result.report, result.stderr)
                    self.assertEqual(result.report["error"]["type"], "ValueError")
                    for expected in ("ValueError: the reason", f"line {line}, in f"):
                        self.assertIn(expected, result.traceback)
                    self.assertNotIn("sandbox_bootstrap", result.traceback)

    def test_by_the_class(self):
        for what, body in DISGUISED.items():
            code = f"class Odd(Exception):\n    {body}\n\nraise Odd\n"
            line = code.count("\n")
            for result in both(code):
                with self.subTest(what):
                    self.assertIn("error", result.report, result.stderr)
                    self.assertEqual(result.report["error"]["type"], "Odd")
                    self.assertIn(f"line {line}, in <module>", result.traceback)

    def test_by_its_metaclass(self):
        code = (
            "class Meta(type):\n    def __getattribute__(self, name): return 1 / 0\n\n"
            "class Odd(Exception, metaclass=Meta): pass\nraise Odd('x')\n"
        )
        for result in both(code):
            self.assertEqual(result.report["error"]["type"], "Odd")
            self.assertIn("line 5, in <module>\n    raise Odd('x')\nOdd: x\n", result.traceback)

    def test_by_an_audit_hook(self):
        """It hides even the frames, but not what they raised."""
        code = (
            "import sys\ndef watch(event, args):\n"
            "    if not event.startswith('sys._get'): raise KeyError('watch')\n"
            "sys.addaudithook(watch)\nraise ValueError('the reason')\n"
        )
        for result in both(code):
            self.assertEqual(result.traceback, "ValueError: the reason\n")

    def test_by_a_circle(self):
        code = (
            "a, b = ValueError('a'), KeyError('b')\na.__cause__, b.__cause__ = b, a\n"
            "a.__context__ = b\nraise a\n"
        )
        for result in both(code):
            self.assertIn("line 4, in <module>", result.traceback)
            self.assertIn("KeyError: 'b'", result.traceback)

    def test_by_a_deep_group(self):
        code = (
            "error = BaseExceptionGroup('g', [SystemExit(0)])\nfor n in range(300):\n"
            "    error = BaseExceptionGroup('g', [error])\nraise error\n"
        )
        for result in both(code):
            self.assertEqual(result.report["error"]["type"], "BaseExceptionGroup")
            self.assertIn("line 4, in <module>", result.traceback)

    def test_by_an_answer_that_never_comes(self):
        code = (
            "class Odd(Exception):\n    def __str__(self):\n        while True: pass\n\nraise Odd\n"
        )
        for result in both(code, signal_after=0.7):
            self.assertEqual(result.report["exit"], "deadline")
            self.assertIn('File "main.py", line 5, in <module>', result.report["where"])
            self.assertIn("Odd: <exception str() did not end>", result.report["where"])

    def test_hook_that_tells_all_is_enough(self):
        code = (
            "import sys\nsys.excepthook = lambda kind, error, tb: "
            "print(kind.__name__, 'in line', tb.tb_lineno)\n{}['x']\n"
        )
        for result in both(code):
            self.assertEqual(result.stdout, "KeyError in line 3\n")
            self.assertEqual(result.traceback, "")


if __name__ == "__main__":
    unittest.main()
