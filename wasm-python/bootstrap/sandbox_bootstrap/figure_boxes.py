"""Box and violin plots: drawn from dozens of anonymous lines, so their statistics are kept when they are drawn."""

import weakref
from functools import update_wrapper

from .figure_numbers import number, tick_names_by_position

_BOXES_NAMED = 6

# axes -> [(kind, artists that make it up, statistics)]
_drawn: "weakref.WeakKeyDictionary" = weakref.WeakKeyDictionary()


def patch(axes_class) -> None:
    """Keep what `Axes.bxp` and `Axes.violin` are given."""
    for name, kind in (("bxp", "box plot"), ("violin", "violin plot")):
        setattr(axes_class, name, _keeping(getattr(axes_class, name), kind))


def _keeping(real, kind: str):
    def draw(axes, *args, **kwargs):
        result = real(axes, *args, **kwargs)
        stats = args[0] if args else kwargs.get("bxpstats", kwargs.get("vpstats"))
        artists = [artist for value in result.values() for artist in (value if isinstance(value, list) else [value])]
        _drawn.setdefault(axes, []).append((kind, artists, stats))
        return result

    return update_wrapper(draw, real)


def of_axes(axes):
    """(kind, artists, text) of each box or violin plot that is still in `axes`."""
    for kind, artists, stats in _drawn.get(axes, ()):
        if all(artist.axes is None for artist in artists):  # removed by cla()
            continue
        names = _names(axes, stats)
        items = [_text(name, one) for name, one in zip(names, stats)]
        more = f"; {len(items) - _BOXES_NAMED} more" if len(items) > _BOXES_NAMED else ""
        yield kind, artists, "; ".join(items[:_BOXES_NAMED]) + more


def _names(axes, stats) -> list[str]:
    """The boxes' names: their labels, or those of the axis of categories."""
    names = [str(one.get("label", "")) for one in stats]
    if not all(names):
        ticks = tick_names_by_position(axes.xaxis) or tick_names_by_position(axes.yaxis)
        names = list(ticks.values()) if len(ticks) == len(stats) else [str(n) for n in range(1, len(stats) + 1)]
    return names


def _text(name: str, stats: dict) -> str:
    if "q1" in stats:
        outliers = len(stats.get("fliers", ()))
        text = (
            f"{name}: median {number(stats['med'])}, quartiles {number(stats['q1'])} to {number(stats['q3'])}, "
            f"whiskers {number(stats['whislo'])} to {number(stats['whishi'])}"
        )
        return text + (f", {outliers} outlier{'s' * (outliers > 1)}" if outliers else "")
    return f"{name}: median {number(stats['median'])}, {number(stats['min'])} to {number(stats['max'])}"
