"""Stand-ins for `IPython` and `IPython.display`, used only where the real ones are missing."""

import sys
from importlib.machinery import ModuleSpec
from typing import Any

from . import ipython_display

_NAMES = frozenset({"IPython", "IPython.display", "IPython.core", "IPython.core.display"})


def find_spec(name: str) -> ModuleSpec | None:
    """The spec of a stand-in; None for parts of IPython that have none."""
    if name not in _NAMES:
        return None
    loader: Any = _Loader
    return ModuleSpec(name, loader, is_package=name in ("IPython", "IPython.core"))


class _Loader:
    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        return None

    @staticmethod
    def exec_module(module: Any) -> None:
        if module.__name__ == "IPython":
            module.get_ipython = lambda: None
            module.version_info = (8, 0, 0, "")
            module.__version__ = "8.0.0"
            module.display = sys.modules.get("IPython.display", ipython_display)
        elif module.__name__ != "IPython.core":
            for name in ipython_display.__all__:
                setattr(module, name, getattr(ipython_display, name))
