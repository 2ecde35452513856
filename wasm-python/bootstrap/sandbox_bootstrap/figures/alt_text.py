"""The text of a figure: what the plot shows, for a model that cannot see it.

Made from the Figure object after it was drawn, so that limits and ticks are final. It is short and
never in the way: an artist that cannot be described is left out.
"""

from typing import Any

from . import series
from .numbers import axis_range, quoted

LIMIT = 600  # characters
_AXES_DESCRIBED = 12
_TEXTS_QUOTED = 6


def title_of(figure: Any) -> str:
    """The figure's title, or that of its first titled axes."""
    try:
        titles = [_suptitle(figure), *(_title(axes) for axes in figure.axes)]
        return " ".join(next(filter(None, titles), "").split())
    except Exception:
        return ""


def describe(figure: Any) -> str:
    """Kind, titles, axes and series of `figure`, in at most 600 characters."""
    try:
        text = _describe(figure)
    except Exception:  # an artist that the job defines may do anything
        return ""
    return text if len(text) <= LIMIT else text[: LIMIT - 1] + "…"


def _describe(figure: Any) -> str:
    axes = [one for one in figure.axes if one.get_visible() and not _is_colorbar(one)]
    parts = [part for part in map(_describe_axes, axes[:_AXES_DESCRIBED]) if part]
    if len(axes) > 1:
        parts = [f"[{number}] {part}" for number, part in enumerate(parts, 1)]
        head = f"{len(axes)} axes"
        if _suptitle(figure):
            head += f", {quoted(_suptitle(figure))}"
        return head + ": " + " ".join(parts)
    if _suptitle(figure):
        parts.insert(0, quoted(_suptitle(figure)))
    texts = _texts(figure) if not axes else []
    return " ".join(parts + [quoted(text) for text in texts[:_TEXTS_QUOTED]])


def _describe_axes(axes: Any) -> str:
    kinds, shown = series.of_axes(axes)
    head = " and ".join(dict.fromkeys(kinds)) or "axes"
    if axes.name not in ("rectilinear", "3d"):
        head = f"{axes.name} {head}"
    if _title(axes):
        head += f" {quoted(_title(axes))}"
    is_pie = kinds == ["pie chart"]
    scales: list[str] = []
    if not is_pie and (axes.axison or shown):
        scales = [axis_range(axes, name) for name in "xyz" if hasattr(axes, f"{name}axis")]
    texts = [] if is_pie else _texts(axes)
    if texts:
        more = "…" * (len(texts) > _TEXTS_QUOTED)
        shown = [*shown, "text " + ", ".join(map(quoted, texts[:_TEXTS_QUOTED])) + more]
    return "; ".join([", ".join([head, *filter(None, scales)]), *shown]) + "."


def _texts(holder: Any) -> list[str]:
    """The texts that the job put into a figure or axes."""
    return [text.get_text() for text in holder.texts if text.get_text().strip()]


def _suptitle(figure: Any) -> str:
    text = getattr(figure, "_suptitle", None)
    return text.get_text().strip() if text is not None else ""


def _title(axes: Any) -> str:
    titles = (axes.get_title(place).strip() for place in ("center", "left", "right"))
    return next(filter(None, titles), "")


def _is_colorbar(axes: Any) -> bool:
    return hasattr(axes, "_colorbar") or axes.get_label() == "<colorbar>"
