"""What matplotlib's functions return by the way: not worth showing as the value of a last expression."""

import sys

_DEPTH = 3  # boxplot: a dictionary of lists; hist of several sets: a tuple of a list of containers
_ITEMS = 50


def is_debris(value, depth: int = _DEPTH) -> bool:
    """Whether `value` is an artist, a container of artists, or a collection that holds some."""
    kind = type(value)
    if kind.__module__.startswith(("seaborn.", "matplotlib.container")):
        return True
    if isinstance(value, _drawing_classes()):
        return not _is_figure(value)
    if depth == 0:
        return False
    if isinstance(value, dict):
        items = value.values()
    elif isinstance(value, (list, tuple)):
        items = value
    elif kind.__name__ == "ndarray" and value.dtype == object:
        items = value.flat
    else:
        return False
    for item, _ in zip(items, range(_ITEMS)):
        if _is_figure(item) or is_debris(item, depth - 1):
            return True
    return False


def _drawing_classes() -> tuple:
    names = (("matplotlib.artist", "Artist"), ("matplotlib.animation", "Animation"), ("matplotlib.colorbar", "Colorbar"))  # fmt: skip
    modules = sys.modules
    return tuple(getattr(modules[module], name) for module, name in names if module in modules)


def _is_figure(value) -> bool:
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, module.Figure)
