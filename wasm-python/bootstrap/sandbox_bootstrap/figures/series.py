"""The series of one axes (lines, bars, points, pictures, …) as short texts."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from . import boxes
from .numbers import number, on_axis, quoted, tick_names_by_position

_ITEMS_NAMED = 12  # bars and wedges with their values
_SERIES_NAMED = 10
_HISTOGRAM_BARS = 3  # this many bars side by side, without gaps, are a histogram
_STRAIGHT_LINE = 4  # numbers: x and y of both ends
_HALF_A_STEP = 0.5  # between two ticks
_COLOURED = 3  # dimensions of a picture with colours

Described = Iterator[tuple[str, str]]  # (kind, text)


def of_axes(axes: Any) -> tuple[list[str], list[str]]:
    """The kinds of plot in `axes`, and a text per series."""
    kinds: list[str] = []
    texts: list[str] = []
    for kind, text in _series(axes):
        kinds.append(kind)
        if text:
            texts.append(text)
    if len(texts) > _SERIES_NAMED:
        texts[_SERIES_NAMED:] = [f"{len(texts) - _SERIES_NAMED} more series"]
    return list(dict.fromkeys(kinds)), texts


def _series(axes: Any) -> Described:
    """Everything that is data, in the order boxes, pies, bars, lines, points, areas, pictures."""
    taken: set[int] = set()  # artists that belong to something described as a whole
    describers = (_boxes, _pie, _bars, _error_bars, _lines, _collections, _images)
    for describe in describers:
        try:
            yield from describe(axes, taken)
        except Exception:  # unusual data: describe the rest
            continue


def _boxes(axes: Any, taken: set[int]) -> Described:
    for kind, artists, text in boxes.of_axes(axes):
        taken.update(map(id, artists))
        yield kind, text


def _pie(axes: Any, taken: set[int]) -> Described:
    wedges = [patch for patch in axes.patches if type(patch).__name__ == "Wedge"]
    if not wedges:
        return
    names = [_label(wedge) for wedge in wedges]
    if not any(names):
        texts = [text.get_text() for text in axes.texts]
        names = texts[: len(wedges)] if len(texts) >= len(wedges) else [""] * len(wedges)
    shares = [(wedge.theta2 - wedge.theta1) / 3.6 for wedge in wedges]
    named = enumerate(zip(names, shares, strict=False), 1)
    yield "pie chart", _listed([f"{name or index}={share:.1f}%" for index, (name, share) in named])


def _bars(axes: Any, taken: set[int]) -> Described:
    for container in axes.containers:
        if type(container).__name__ != "BarContainer" or not len(container):
            continue
        taken.update(map(id, container.patches))
        flat = container.orientation == "horizontal"
        bars = [_Bar(patch, flat) for patch in container.patches]
        name = _series_name(container.get_label())
        axis = axes.yaxis if flat else axes.xaxis
        names = tick_names_by_position(axis)
        if _is_histogram(bars) and not names:
            yield "histogram", name + _histogram_text(bars)
            continue
        items = [f"{_bar_name(bar, names, axis)}={number(bar.length)}" for bar in bars]
        yield ("horizontal bar chart" if flat else "bar chart"), name + _listed(items)


class _Bar:
    """A bar, horizontal or vertical."""

    def __init__(self, patch: Any, flat: bool) -> None:
        if flat:
            self.start, self.width = patch.get_y(), patch.get_height()
            self.length = patch.get_width()
        else:
            self.start, self.width = patch.get_x(), patch.get_width()
            self.length = patch.get_height()
        self.end = self.start + self.width
        self.middle = self.start + self.width / 2


def _is_histogram(bars: list[_Bar]) -> bool:
    return len(bars) >= _HISTOGRAM_BARS and all(
        abs(bar.end - following.start) <= 1e-6 * abs(bar.width) for bar, following in pairwise(bars)
    )


def _histogram_text(bars: list[_Bar]) -> str:
    peak = max(bars, key=lambda bar: bar.length)
    return (
        f"{len(bars)} bins from {number(bars[0].start)} to {number(bars[-1].end)}, "
        f"sum {number(sum(bar.length for bar in bars))}, "
        f"highest {number(peak.length)} at {number(peak.start)} to {number(peak.end)}"
    )


def _bar_name(bar: _Bar, names: dict[float, str], axis: Any) -> str:
    nearest = min(names, key=lambda position: abs(position - bar.middle), default=None)
    # Grouped bars are beside their tick, half a step away at most.
    if nearest is not None and abs(nearest - bar.middle) <= _HALF_A_STEP:
        return names[nearest]
    return on_axis(axis, bar.middle)


def _error_bars(axes: Any, taken: set[int]) -> Described:
    kinds = {"ErrorbarContainer": "error bar plot", "StemContainer": "stem plot"}
    for container in axes.containers:
        kind = kinds.get(type(container).__name__)
        if kind is None:
            continue
        line = container.lines[0] if kind == "error bar plot" else container.markerline
        taken.update(id(artist) for artist in _flat(container))
        if line is not None:
            yield kind, _line_text(axes, line, _series_name(container.get_label()))


def _lines(axes: Any, taken: set[int]) -> Described:
    for line in axes.lines:
        if id(line) in taken or not line.get_visible():
            continue
        name = _series_name(line.get_label())
        transform, data = line.get_transform(), axes.transData
        if transform is not data and not data.contains_branch(transform):
            ends = [float(value) for value in (*line.get_xdata(), *line.get_ydata())]
            if len(ends) == _STRAIGHT_LINE:  # axhline, axvline: one coordinate is of the axes
                flat = ends[2] == ends[3]
                value = number(ends[2] if flat else ends[0])
                yield "reference line", f"{name}{'y' if flat else 'x'}={value}"
            continue
        if not name and taken and _is_straight(line):
            continue  # the error bar that seaborn draws on a bar
        marks_only = line.get_linestyle() in ("None", "", " ")
        yield ("points" if marks_only else "line plot"), _line_text(axes, line, name)


def _is_straight(line: Any) -> bool:
    """Whether a line goes straight along one axis."""
    both = (line.get_xdata(orig=False), line.get_ydata(orig=False))
    return any(len(set(map(float, data))) == 1 for data in both)


def _line_text(axes: Any, line: Any, name: str) -> str:
    if hasattr(line, "get_data_3d"):
        x, _, values = line.get_data_3d()
        axis = axes.zaxis
    else:
        x, values = line.get_xdata(orig=False), line.get_ydata(orig=False)
        axis = axes.yaxis
    count = f"{len(values)} point{'s' * (len(values) != 1)}"
    known = _finite(values)
    if not len(known):
        return f"{name}{count}"
    x_range = ""
    if len(x) > 1:
        x_range = f" for x {on_axis(axes.xaxis, x[0])} to {on_axis(axes.xaxis, x[-1])}"
    named = (known[0], known[-1], known.min(), known.max())
    first, last, least, most = (on_axis(axis, value) for value in named)
    return f"{name}{count}{x_range}, first {first}, last {last}, min {least}, max {most}"


def _collections(axes: Any, taken: set[int]) -> Described:
    for collection in axes.collections:
        if id(collection) in taken or not collection.get_visible():
            continue
        kind = type(collection).__name__
        name = _series_name(collection.get_label())
        if kind in ("PathCollection", "Path3DCollection"):
            yield _scatter(axes, collection, name)
        elif kind in ("QuadMesh", "PolyQuadMesh"):
            values = collection.get_array()
            yield "heat map", f"{name}{_shape(values.shape)} cells, {_value_range(values)}"
        elif "ContourSet" in kind:
            levels = collection.levels
            text = f"{len(levels)} levels from {number(levels[0])} to {number(levels[-1])}"
            yield "contour plot", text
        elif kind == "Quiver":
            yield "arrows", f"{len(collection.U)} arrows"
        elif kind == "Poly3DCollection":
            yield "surface", f"{name}{len(collection.get_facecolor())} faces"
        elif kind in ("PolyCollection", "FillBetweenPolyCollection"):
            yield "filled area", _extent(axes, collection, name)
        elif kind in ("LineCollection", "Line3DCollection", "EventCollection"):
            yield "line segments", f"{name}{len(collection.get_paths())} segments"
    for patch in axes.patches:
        if type(patch).__name__ == "StepPatch":
            values, _, _ = patch.get_data()
            name = _series_name(patch.get_label())
            yield "step plot", f"{name}{len(values)} steps, {_value_range(values)}"


def _scatter(axes: Any, collection: Any, name: str) -> tuple[str, str]:
    import numpy

    if hasattr(collection, "_offsets3d"):
        columns = [numpy.ma.asarray(column, float) for column in collection._offsets3d]
    else:
        columns = list(numpy.ma.asarray(collection.get_offsets(), float).T)
    count = len(columns[0])
    ranges = []
    for axis, column in zip("xyz", columns, strict=False):
        if count:
            ranges.append(f"{axis} {_value_range(column, getattr(axes, axis + 'axis'))}")
    values = collection.get_array()
    if values is not None and numpy.size(values):
        ranges.append(f"colour {_value_range(values)}")
    return "scatter plot", f"{name}{count} points, " + ", ".join(ranges)


def _extent(axes: Any, collection: Any, name: str) -> str:
    import numpy

    corners = numpy.concatenate([path.vertices for path in collection.get_paths()])
    x, y = corners[:, 0], corners[:, 1]
    return f"{name}x {_value_range(x, axes.xaxis)}, y {_value_range(y, axes.yaxis)}"


def _images(axes: Any, taken: set[int]) -> Described:
    for image in axes.images:
        values = image.get_array()
        if values is None:
            continue
        if values.ndim == _COLOURED:
            yield "picture", f"{values.shape[1]}x{values.shape[0]} pixels"
        else:
            yield "heat map", f"{_shape(values.shape)} values, {_value_range(values)}"


def _finite(values: Any) -> Any:
    """The values that are numbers: not masked, NaN or infinite."""
    import numpy

    values = numpy.ma.filled(numpy.ma.asarray(values, float), numpy.nan)
    return values[numpy.isfinite(values)]


def _value_range(values: Any, axis: Any = None) -> str:
    known = _finite(values)
    if not known.size:
        return "without values"
    ends = (known.min(), known.max())
    low, high = (number(value) if axis is None else on_axis(axis, value) for value in ends)
    return f"{low} to {high}"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _series_name(label: object) -> str:
    text = str(label or "")
    return f"{quoted(text)}: " if text and not text.startswith("_") else ""


def _label(artist: Any) -> str:
    text = str(artist.get_label() or "")
    return "" if text.startswith("_") else text


def _listed(items: list[str]) -> str:
    more = f", {len(items) - _ITEMS_NAMED} more" if len(items) > _ITEMS_NAMED else ""
    return ", ".join(items[:_ITEMS_NAMED]) + more


def _flat(container: Any) -> Iterator[Any]:
    for item in container:
        if isinstance(item, (tuple, list)):
            yield from _flat(item)
        elif item is not None:
            yield item
