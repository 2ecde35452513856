"""Box and violin plots: keeps their statistics, which their many anonymous lines do not show."""

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import update_wrapper
from typing import Any

from .numbers import number, tick_names_by_position

_BOXES_NAMED = 6

# axes -> [(kind, the plot's artists, statistics)]
_drawn: "weakref.WeakKeyDictionary[Any, list[tuple[str, list[Any], Any]]]"
_drawn = weakref.WeakKeyDictionary()


def patch(axes_class: Any) -> None:
    """Keep what `Axes.bxp` and `Axes.violin` are given."""
    for name, kind in (("bxp", "box plot"), ("violin", "violin plot")):
        setattr(axes_class, name, _keeping(getattr(axes_class, name), kind))


def _keeping(real: Callable[..., Any], kind: str) -> Callable[..., Any]:
    def draw(axes: Any, *args: Any, **kwargs: Any) -> Any:
        result = real(axes, *args, **kwargs)
        try:
            stats = args[0] if args else kwargs.get("bxpstats", kwargs.get("vpstats"))
            artists = []
            for value in result.values():
                artists += value if isinstance(value, list) else [value]
            _drawn.setdefault(axes, []).append((kind, artists, stats))
        except Exception:  # the plot is there, and is described without them
            pass
        return result

    return update_wrapper(draw, real)


def of_axes(axes: Any) -> Iterator[tuple[str, list[Any], str]]:
    """(kind, artists, text) of each box or violin plot that is still in `axes`."""
    for kind, artists, stats in _drawn.get(axes, ()):
        if all(artist.axes is None for artist in artists):  # removed by cla()
            continue
        names = _names(axes, stats)
        items = [_text(name, one) for name, one in zip(names, stats, strict=False)]
        more = f"; {len(items) - _BOXES_NAMED} more" if len(items) > _BOXES_NAMED else ""
        yield kind, artists, "; ".join(items[:_BOXES_NAMED]) + more


def _names(axes: Any, stats: Sequence[Mapping[str, Any]]) -> list[str]:
    """The boxes' names: their labels, or those of the axis of categories."""
    names = [str(one.get("label", "")) for one in stats]
    if all(names):
        return names
    ticks = tick_names_by_position(axes.xaxis) or tick_names_by_position(axes.yaxis)
    if len(ticks) == len(stats):
        return list(ticks.values())
    return [str(n) for n in range(1, len(stats) + 1)]


def _text(name: str, stats: Mapping[str, Any]) -> str:
    if "q1" not in stats:
        low, high = number(stats["min"]), number(stats["max"])
        return f"{name}: median {number(stats['median'])}, {low} to {high}"
    outliers = len(stats.get("fliers", ()))
    text = (
        f"{name}: median {number(stats['med'])}, "
        f"quartiles {number(stats['q1'])} to {number(stats['q3'])}, "
        f"whiskers {number(stats['whislo'])} to {number(stats['whishi'])}"
    )
    return text + (f", {outliers} outlier{'s' * (outliers > 1)}" if outliers else "")
