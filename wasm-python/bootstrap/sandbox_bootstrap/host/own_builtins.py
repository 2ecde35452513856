"""Keeps this package working whatever a job does to `builtins` and to the library's modules.

A function looks up `len` and `isinstance` in the `__builtins__` that its module had when it was
made. The modules of this package have a copy of Python's own, which no job replaces. So do a few
modules of the library that this package has to itself.
"""

import builtins
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_PACKAGE = __name__.partition(".")[0] + "."

names: dict[str, Any] = dict(vars(builtins))


def install() -> None:
    """Give the modules of this package that are imported from now on builtins of their own."""
    sys.meta_path.insert(0, _Finder)


def private_copy(name: str) -> Any:
    """A module of the library once more, for this package alone and with its own builtins."""
    package = name.rpartition(".")[0]
    spec = PathFinder.find_spec(name, list(import_module(package).__path__) if package else None)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    module = _with_own_builtins(spec)
    module.__package__ = package
    spec.loader.exec_module(module)
    return module


def _with_own_builtins(spec: ModuleSpec) -> ModuleType:
    module = ModuleType(spec.name)
    vars(module)["__builtins__"] = names
    return module


class _Finder:
    """Finds the modules of this package as the path finder does."""

    @staticmethod
    def find_spec(
        name: str, path: Any = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Modules of others are not its business."""
        if not name.startswith(_PACKAGE):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            loader.create_module = _with_own_builtins
        return spec
