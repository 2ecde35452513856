"""Where the content of a drawn figure is: found in its pixels if possible, else measured.

Matplotlib measures by asking every artist for its extent, which takes a quarter of the time of a
drawing. The pixels give the same answer as long as nothing is outside of the page.
"""

import math
from typing import Any

_ARTISTS_LOOKED_AT = 1000

Corners = tuple[tuple[float, float], tuple[float, float]]  # (left, bottom), (right, top)


def content_box(figure: Any, renderer: Any) -> Any:
    """The box around everything drawn, in inches; None if there is nothing sensible to crop to."""
    from matplotlib.transforms import Bbox

    box: Any = None
    if not _may_be_outside(figure, renderer):
        box = _box_of_pixels(figure, renderer.buffer_rgba())
    if box is not None:
        return Bbox([[side / figure.dpi for side in corner] for corner in box])
    box = figure.get_tightbbox(renderer)
    if box is None or not all(map(math.isfinite, (box.x0, box.y0, box.x1, box.y1))):
        return None
    return box if box.width > 0 and box.height > 0 else None


def _box_of_pixels(figure: Any, buffer: Any) -> Corners | None:
    """What differs from the background, and the axes; None if content touches the page's edge."""
    import numpy

    pixels = numpy.asarray(buffer).view(numpy.uint32)[:, :, 0]
    drawn = pixels != pixels[0, 0]
    rows = numpy.flatnonzero(drawn.any(axis=1))
    columns = numpy.flatnonzero(drawn.any(axis=0))
    height, width = drawn.shape
    if not rows.size or rows[0] == 0 or rows[-1] == height - 1:
        return None
    if columns[0] == 0 or columns[-1] == width - 1:
        return None
    # The axes count, too: a picture in them may have a white margin.
    boxes = [axes.bbox for axes in figure.axes if axes.get_visible()]
    left = min([columns[0], *(box.x0 for box in boxes)])
    right = max([columns[-1] + 1, *(box.x1 for box in boxes)])
    top = max([height - rows[0], *(box.y1 for box in boxes)])
    bottom = min([height - rows[-1] - 1, *(box.y0 for box in boxes)])
    return (left, bottom), (right, top)


def _may_be_outside(figure: Any, renderer: Any) -> bool:
    """Whether something could be wholly outside of the page, where no pixel shows it."""
    if figure.subfigs or figure.artists or figure.lines or figure.patches or figure.images:
        return True
    movable = [*figure.texts, *figure.legends]
    for axes in figure.axes:
        legend = axes.get_legend()
        movable += [axes, *axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label]
        movable += [legend] if legend else []
        children = axes.get_children()
        if axes.child_axes or axes.tables or axes.artists or len(children) > _ARTISTS_LOOKED_AT:
            return True
        movable += [artist for artist in children if _is_data(artist) and not artist.get_clip_on()]
    page = figure.bbox.padded(1)
    for artist in movable:
        if artist.get_visible() and artist.get_in_layout():
            box = artist.get_window_extent(renderer)
            inside = page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1)
            if box.width > 0 and not inside:
                return True
    return False


def _is_data(artist: Any) -> bool:
    from matplotlib import collections, image, lines, patches, spines

    data = (collections.Collection, image.AxesImage, lines.Line2D, patches.Patch)
    return isinstance(artist, data) and not isinstance(artist, spines.Spine)
