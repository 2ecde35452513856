"""Finds the statement of a session that made a class, and what that statement needs to run."""

import ast
import dis
import enum
from types import CodeType
from typing import Any

PLAIN = (bool, int, float, complex, str, bytes, list, dict, set, frozenset, tuple, type(None))
_CO_OPTIMIZED = 0x1  # set for functions, not for the bodies of classes and modules
_BY_NAME = ("NAME", "GLOBAL", "FROM_DICT_OR_GLOBALS")


def is_given(name: str) -> bool:
    """Whether every module or class has this name."""
    return name.startswith("__") and name.endswith("__")


def plain_attributes(cls: type) -> dict[str, Any] | None:
    """Attributes that the session may have changed since the class was made, such as counters."""
    if issubclass(cls, enum.Enum):
        return None  # its statement defines its members
    attributes = vars(cls).items()
    plain = {n: value for n, value in attributes if not is_given(n) and type(value) in PLAIN}
    return plain or None


def statement_that_binds(name: str, sources: dict[str, str]) -> CodeType | None:
    """The code of the last top-level statement that makes `name`: a class statement or a call."""
    for filename, text in reversed(sources.items()):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for statement in reversed(tree.body):
            if name in _bound_by(statement):
                body = [*(s for s in tree.body if _is_future(s)), statement]
                return compile(ast.Module(body, []), filename, "exec", dont_inherit=True)
    return None


def _bound_by(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def names_that_run(code: CodeType) -> dict[str, None]:
    """Global names that the statement looks up while it runs: not those in bodies of functions."""
    names: dict[str, None] = {}
    waiting = [code]
    while waiting:
        code = waiting.pop()
        for instruction in dis.get_instructions(code):
            kind, _, what = instruction.opname.partition("_")
            if kind == "LOAD" and what in _BY_NAME:
                names[instruction.argval] = None
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                runs_now = not constant.co_flags & _CO_OPTIMIZED
                if runs_now or constant.co_name == "<genexpr>":
                    waiting.append(constant)
    return names
