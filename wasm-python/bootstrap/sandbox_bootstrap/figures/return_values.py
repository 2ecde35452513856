"""What matplotlib's functions return: not worth showing as the value of a last expression."""

import sys
from collections.abc import Iterable
from itertools import islice
from typing import Any

_DEPTH = 3  # boxplot: a dictionary of lists; hist of several sets: a tuple of a list of containers
_ITEMS = 50


def is_artists(value: Any, depth: int = _DEPTH) -> bool:
    """Whether `value` is an artist, a container of artists, or a collection that holds some."""
    kind = type(value)
    if kind.__module__.startswith(("seaborn.", "sympy.plotting.", "matplotlib.container")):
        return not hasattr(kind, "_repr_png_")  # showing seaborn's Plot is what draws it
    if isinstance(value, _drawing_classes()):
        return not _is_figure(value)
    if depth == 0:
        return False
    items: Iterable[Any]
    if isinstance(value, dict):
        items = value.values()
    elif isinstance(value, (list, tuple)):
        items = value
    elif kind.__name__ == "ndarray" and value.dtype == object:
        items = value.flat
    else:
        return False
    return any(_is_figure(item) or is_artists(item, depth - 1) for item in islice(items, _ITEMS))


def _drawing_classes() -> tuple[type, ...]:
    names = (("artist", "Artist"), ("animation", "Animation"), ("colorbar", "Colorbar"))
    modules = [(sys.modules.get(f"matplotlib.{module}"), name) for module, name in names]
    return tuple(getattr(module, name) for module, name in modules if module is not None)


def _is_figure(value: Any) -> bool:
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, module.Figure)
