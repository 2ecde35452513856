"""Makes a program of the examples of each public docstring: `doc_programs.py PACKAGE` prints them.

A line of JSON for each: its name and its code. The code prints what the examples show, a value by
its `repr`, an exception by its name and message; an example that fails does not end the program.
What the docstring says should come out is not looked at: both sides run the same code.
"""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import json
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

# Names that the docstrings of a package use without an import.
PRELUDES = {
    "networkx": "import networkx as nx\nimport numpy as np\nimport matplotlib.pyplot as plt",
    "numpy": "import numpy as np",
    "pandas": "import numpy as np\nimport pandas as pd",
    "scipy": "import numpy as np",
    "sklearn": "import numpy as np",
    "sympy": "",
}
HELPERS = """
def show_value(value):
    if value is not None:
        print(repr(value))
def show_error(error):
    print(type(error).__name__ + ":", error)
"""
NOT_PUBLIC = {"tests", "testing", "conftest", "f2py", "distutils", "setup", "benchmarks"}


def modules(package: str) -> Iterator[ModuleType]:
    """Import and give the public modules of a package."""
    top = importlib.import_module(package)
    yield top
    for found in pkgutil.walk_packages(top.__path__, package + ".", onerror=lambda _name: None):
        parts = found.name.split(".")
        if any(part.startswith("_") or part in NOT_PUBLIC for part in parts):
            continue
        with contextlib.suppress(BaseException):  # of a package that is not installed, say
            yield importlib.import_module(found.name)


def documented(module: ModuleType, package: str) -> Iterator[tuple[str, str]]:
    """Give the public things of a module and of its classes, each with its docstring."""
    yield module.__name__, inspect.getdoc(module) or ""
    for name, thing in sorted(vars(module).items()):
        home = getattr(thing, "__module__", None) or ""
        is_own = isinstance(home, str) and home.partition(".")[0] == package
        if name.startswith("_") or isinstance(thing, ModuleType) or not is_own:
            continue
        yield f"{module.__name__}.{name}", doc_of(thing)
        if inspect.isclass(thing):
            for method, member in sorted(vars(thing).items()):
                if not method.startswith("_"):
                    yield f"{module.__name__}.{name}.{method}", doc_of(member)


def doc_of(thing: Any) -> str:
    """Give a docstring, or nothing where there is none that is a text."""
    try:
        doc = thing.__doc__
    except Exception:
        return ""
    return inspect.cleandoc(doc) if isinstance(doc, str) else ""


def program(doc: str, prelude: str) -> str | None:
    """Make the program of a docstring's examples; None if there are none that can be run."""
    body: list[ast.stmt] = []
    try:
        examples = doctest.DocTestParser().get_examples(doc)
    except ValueError:
        return None
    for number, example in enumerate(examples):
        if example.options.get(doctest.SKIP):
            continue
        try:
            statements = ast.parse(example.source).body
        except SyntaxError:
            continue
        body += ast.parse(f"print('# {number}')").body + guarded(statements)
    if not body:
        return None
    text = ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
    return f"{prelude}\n{HELPERS}{text}\n"


def guarded(statements: list[ast.stmt]) -> list[ast.stmt]:
    """Show values and exceptions as the interactive interpreter does."""
    shown: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, ast.Expr):
            call = ast.Call(ast.Name("show_value", ast.Load()), [statement.value], [])
            shown.append(ast.Expr(call))
        else:
            shown.append(statement)
    template = ast.parse("try:\n    pass\nexcept Exception as error:\n    show_error(error)").body
    assert isinstance(template[0], ast.Try)
    template[0].body = shown
    return template


def main(package: str) -> None:
    """Print every program once, under the first name that it is found by."""
    known: set[str] = set()
    warnings.simplefilter("ignore")
    out = sys.stdout
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        found = [pair for module in modules(package) for pair in documented(module, package)]
    for name, doc in found:
        if ">>>" not in doc or doc in known:
            continue
        known.add(doc)
        code = program(doc, PRELUDES[package])
        if code is not None:
            out.write(json.dumps({"name": name.partition(".")[2] or name, "code": code}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
