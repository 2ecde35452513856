"""Runs a function right after a certain module was imported, to adapt it."""

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

Patch = Callable[[Any], None]  # gets the module

_patches: dict[str, Patch] = {}


def after_import(name: str, patch: Patch) -> None:
    """Have `patch(module)` run once `name` is imported; at once if it already is."""
    if name in sys.modules:
        patch(sys.modules[name])
    else:
        _patches[name] = patch


def install(patches: dict[str, Patch]) -> None:
    """Watch for imports from now on, first of all for those of `patches`. Repeating it is fine."""
    if _HookFinder in sys.meta_path:
        return
    sys.meta_path.insert(0, _HookFinder)
    for name, patch in patches.items():
        after_import(name, patch)


class _HookFinder:
    """Finds the modules to patch as the path finder does, and patches them after their code ran."""

    @staticmethod
    def find_spec(
        name: str, path: Any = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Only the names above are of interest."""
        patch = _patches.get(name)
        if patch is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            loader.exec_module = _and_then(loader.exec_module, patch)
        return spec


def _and_then(exec_module: Callable[[ModuleType], None], patch: Patch) -> Patch:
    def exec_and_patch(module: ModuleType) -> None:
        exec_module(module)
        patch(module)

    return exec_and_patch
