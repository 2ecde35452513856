"""What a session's pickle calls, in the native runtime, to make its objects again."""

import functools
import importlib
import marshal
import sys
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

MAIN = "__main__"


class NoSuchModule:
    """Stands for a module that this runtime does not have."""

    def __init__(self, why: str) -> None:
        self.why = why


def module(name: str) -> Any:
    """The module `name`, or a `NoSuchModule`."""
    try:
        return sys.modules[MAIN] if name == MAIN else importlib.import_module(name)
    except ImportError as error:
        return NoSuchModule(str(error))


def cached(function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    """A function with its `functools.lru_cache`, empty."""
    return functools.lru_cache(**parameters)(function)


def attribute(holder: Any, path: str) -> Any:
    """The attribute of `holder` at a dotted path."""
    return functools.reduce(getattr, path.split("."), holder)


def function(code: bytes, owner: str, name: str, cells: int) -> FunctionType:
    """A function of the module `owner` from its marshalled code, its closure still empty."""
    closure = tuple(CellType() for _ in range(cells)) or None
    return FunctionType(marshal.loads(code), vars(module(owner)), name, None, closure)


def finish_function(made: FunctionType, state: dict[str, Any]) -> None:
    """Give a function its attributes and the contents of its closure."""
    for name, value in state["attributes"].items():
        setattr(made, name, value)
    made.__dict__.update(state["dict"])
    for cell, contents in zip(made.__closure__ or (), state["cells"], strict=True):
        if contents:
            cell.cell_contents = contents[0]


def make_class(name: str, code: bytes, needed: dict[str, Any]) -> Any:
    """Run the statement that makes the class `name`, with the names that it needs."""
    namespace = vars(sys.modules[MAIN])
    namespace.update(needed)
    exec(marshal.loads(code), namespace)
    return namespace[name]


def finish_class(cls: type, attributes: dict[str, Any]) -> None:
    """Set the attributes that the session has changed."""
    for name, value in attributes.items():
        setattr(cls, name, value)
