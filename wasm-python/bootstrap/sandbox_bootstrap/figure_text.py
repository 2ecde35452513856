"""The text twin of a figure: what the plot says, for a model that cannot see it.

Built from the Figure object after it was drawn (so that limits and ticks are final); short, and never in the way: an
artist that cannot be described is left out.
"""

from . import figure_series
from .figure_numbers import axis_range, quoted

LIMIT = 600
_AXES_DESCRIBED = 12
_TEXTS_QUOTED = 6


def title_of(figure) -> str:
    """The figure's title, or that of its first titled axes."""
    try:
        titles = [_suptitle(figure), *(_title(axes) for axes in figure.axes)]
        return " ".join(next(filter(None, titles), "").split())
    except Exception:
        return ""


def describe(figure) -> str:
    """Kind, titles, axes and series of `figure`, in at most 600 characters."""
    try:
        text = _describe(figure)
    except Exception:  # an artist of the job's own making may do anything
        return ""
    return text if len(text) <= LIMIT else text[: LIMIT - 1] + "…"


def _describe(figure) -> str:
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
    texts = [text.get_text() for text in figure.texts if text.get_text().strip()] if not axes else []
    return " ".join(parts + [quoted(text) for text in texts[:_TEXTS_QUOTED]])


def _describe_axes(axes) -> str:
    kinds, series = figure_series.of_axes(axes)
    head = " and ".join(dict.fromkeys(kinds)) or "axes"
    if axes.name not in ("rectilinear", "3d"):
        head = f"{axes.name} {head}"
    if _title(axes):
        head += f" {quoted(_title(axes))}"
    if kinds == ["pie chart"] or not axes.axison and not series:
        scales = []
    else:
        scales = [axis_range(axes, name) for name in ("x", "y", "z") if hasattr(axes, f"{name}axis")]
    texts = [text.get_text() for text in axes.texts if text.get_text().strip()] if kinds != ["pie chart"] else []
    if texts:
        series = [*series, "text " + ", ".join(map(quoted, texts[:_TEXTS_QUOTED])) + "…" * (len(texts) > _TEXTS_QUOTED)]
    return "; ".join([", ".join([head, *filter(None, scales)]), *series]) + "."


def _suptitle(figure) -> str:
    text = getattr(figure, "_suptitle", None)
    return text.get_text().strip() if text is not None else ""


def _title(axes) -> str:
    return next(filter(None, (axes.get_title(place).strip() for place in ("center", "left", "right"))), "")


def _is_colorbar(axes) -> bool:
    return hasattr(axes, "_colorbar") or axes.get_label() == "<colorbar>"
