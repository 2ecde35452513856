"""What a session takes along when it migrates: one interpreter saves it, another reads it."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BOOTSTRAP = str(Path(__file__).resolve().parent.parent)

_SIDE = """
import json, sys, types
sys.path.insert(0, sys.argv[1])
from sandbox_bootstrap.job import session_pickle
order = json.loads(sys.argv[2])
module = types.ModuleType("__main__")
sys.modules["__main__"] = module
sources = {}
if order["do"] == "save":
    for number, text in enumerate(order["calls"], 1):
        sources[f"call-{number}.py"] = text
        exec(compile(text, f"call-{number}.py", "exec"), vars(module))
    print(json.dumps(session_pickle.save(order["path"], module, sources)))
else:
    print(json.dumps(session_pickle.load(order["path"], module, sources)))
    exec(order["code"], vars(module))
"""


def _side(**order) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-I", "-c", _SIDE, BOOTSTRAP, json.dumps(order)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def move(*calls: str, then: str) -> tuple[list[str], list[str], list[str]]:
    """Run `calls` in one interpreter and `then` in another.

    Returns what each of them left behind, and what was printed.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/state"
        (left,) = _side(do="save", path=path, calls=calls)
        unread, *printed = _side(do="load", path=path, code=then)
        assert not Path(path).exists()
        return json.loads(left), json.loads(unread), printed


class SessionPickle(unittest.TestCase):
    def assert_moves(self, calls, then, printed):
        left, unread, found = move(*calls, then=then)
        self.assertEqual((left, unread, found), ([], [], printed))

    def test_shared_objects_stay_shared(self):
        self.assert_moves(
            ["s = [1]\na = {'s': s}\nb = (s, a)"],
            "s.append(2)\nprint(a, b[1] is a, b[0] is s)",
            ["{'s': [1, 2]} True True"],
        )

    def test_functions_with_closures_defaults_and_recursion(self):
        self.assert_moves(
            [
                "N = 3\n"
                "def adder(k):\n    def add(x, y=N, *, z=1):\n        return x + y + z + k\n"
                "    return add\n"
                "add = adder(5)\nsquare = lambda x: x * x\n"
                "def outer():\n    def fact(n):\n        return 1 if n == 0 else n * fact(n - 1)\n"
                "    return fact\n"
                "fact = outer()",
                "import functools\n@functools.cache\ndef fib(n):\n"
                "    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
                "part = functools.partial(add, 1)",
            ],
            "N = 4\nprint(add(1), add(1, z=2), square(4), fact(5), fib(30), part())",
            ["10 11 16 120 832040 10"],
        )

    def test_classes_are_made_again_by_their_statements(self):
        self.assert_moves(
            [
                "from __future__ import annotations\n"
                "import enum, collections\nfrom abc import ABC, abstractmethod\n"
                "from dataclasses import dataclass, field\n"
                "from typing import NamedTuple\nSIZE = 2",
                "@dataclass\nclass Point:\n    x: int\n"
                "    tags: list = field(default_factory=list)\n"
                "class Colour(enum.Enum):\n    RED = 1\n"
                "class Base(ABC):\n    count = 0\n    width = SIZE * 2\n    @abstractmethod\n"
                "    def f(self): ...\n"
                "class Child(Base):\n    class Inner:\n        z = SIZE\n    def f(self):\n"
                "        return 'child'\n"
                "Pair = collections.namedtuple('Pair', 'a b')\n"
                "class Named(NamedTuple):\n    k: int = 7\n",
                "Base.count = 17\n"
                "p, c, child, inner = Point(1), Colour.RED, Child(), Child.Inner()\n"
                "pair, named = Pair(1, 2), Named()",
            ],
            "print(p, p == Point(1), c is Colour.RED, child.f(), child.count, child.width, "
            "inner.z, pair, named)\n"
            "print(isinstance(child, Base), type(inner) is Child.Inner, Pair(3, 4))",
            [
                "Point(x=1, tags=[]) True True child 17 4 2 Pair(a=1, b=2) Named(k=7)",
                "True True Pair(a=3, b=4)",
            ],
        )

    def test_an_object_that_its_class_registers(self):
        self.assert_moves(
            [
                (
                    "class Node:\n    all = []\n    def __init__(self):\n"
                    "        Node.all.append(self)\nn = Node()"
                )
            ],
            "print(Node.all == [n])",
            ["True"],
        )

    def test_random_numbers_go_on(self):
        calls = ["import random\nrandom.seed(7)\nrandom.random()"]
        left, unread, printed = move(*calls, then="print(random.random())")
        self.assertEqual((left, unread, printed), ([], [], ["0.15084917392450192"]))

    def test_what_cannot_come_is_named_and_costs_nothing_else(self):
        left, unread, printed = move(
            "x = 1\ngen = (i for i in ())\nimport threading\nlock = threading.Lock()\n"
            "def f():\n    class Local: pass\n    return Local\nlocal = f()\nobj = local()\n"
            "class Old: pass\nold = Old()",
            "class Old: pass\nholder = [gen]",
            then="print(x, sorted(n for n in globals() if not n.startswith('_')))",
        )
        self.assertEqual(
            left,
            [
                "holder (cannot pickle 'generator' object)",
                "gen (cannot pickle 'generator' object)",
                "lock (cannot pickle '_thread.lock' object)",
                "local (the class `Local` was made inside of a function)",
                "obj (the class `Local` was made inside of a function)",
                "old (the class `Old` has been replaced by another of that name)",
            ],
        )
        self.assertEqual(unread, [])
        self.assertEqual(printed, ["1 ['Old', 'f', 'threading', 'x']"])

    def test_a_module_that_is_not_there(self):
        left, unread, printed = move(
            (
                "import sys, types\n"
                "sys.modules['only_here'] = only_here = types.ModuleType('only_here')\nx = 1"
            ),
            then="print(x)",
        )
        self.assertEqual((left, printed), ([], ["1"]))
        self.assertEqual(unread, ["only_here (No module named 'only_here')"])


if __name__ == "__main__":
    unittest.main()
