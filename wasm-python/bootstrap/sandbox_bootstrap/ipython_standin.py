"""Stand-ins for `IPython` and `IPython.display`, used only where the real ones are not installed."""

import sys
from importlib.machinery import ModuleSpec

_NAMES = frozenset({"IPython", "IPython.display", "IPython.core", "IPython.core.display"})


def find_spec(name: str) -> ModuleSpec | None:
    """The spec of a stand-in; None for parts of IPython that have none."""
    if name not in _NAMES:
        return None
    return ModuleSpec(name, _Loader, is_package=name in ("IPython", "IPython.core"))


class _Loader:
    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module) -> None:
        from . import ipython_display

        if module.__name__ == "IPython":
            module.get_ipython = lambda: None
            module.version_info = (8, 0, 0, "")
            module.__version__ = "8.0.0"
            module.display = sys.modules.get("IPython.display", ipython_display)
        elif module.__name__ != "IPython.core":
            for name in ipython_display.__all__:
                setattr(module, name, getattr(ipython_display, name))
