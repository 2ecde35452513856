"""Where the content of a drawn figure is: read off its pixels where that is certain, else measured by matplotlib.

Measuring asks every artist for its extent, which costs a quarter of a whole drawing.  Pixels tell the same as long as
nothing lies outside of the page.
"""

import math

_ARTISTS_LOOKED_AT = 1000


def content_box(figure, renderer):
    """The box around everything drawn, in inches; None if there is nothing sensible to crop to."""
    from matplotlib.transforms import Bbox

    box = None if _may_lie_outside(figure, renderer) else _box_of_pixels(figure, renderer.buffer_rgba())
    if box is not None:
        return Bbox([[side / figure.dpi for side in corner] for corner in box])
    box = figure.get_tightbbox(renderer)
    if box is None or not all(map(math.isfinite, (box.x0, box.y0, box.x1, box.y1))):
        return None
    return box if box.width > 0 and box.height > 0 else None


def _box_of_pixels(figure, buffer):
    """((left, bottom), (right, top)) of what differs from the background, and of the axes; None if it is cut off."""
    import numpy

    pixels = numpy.asarray(buffer).view(numpy.uint32)[:, :, 0]
    drawn = pixels != pixels[0, 0]
    rows, columns = numpy.flatnonzero(drawn.any(axis=1)), numpy.flatnonzero(drawn.any(axis=0))
    height, width = drawn.shape
    if not rows.size or rows[0] == 0 or rows[-1] == height - 1 or columns[0] == 0 or columns[-1] == width - 1:
        return None
    boxes = [axes.bbox for axes in figure.axes if axes.get_visible()]  # also of pictures with a white margin
    left = min([columns[0], *(box.x0 for box in boxes)])
    right = max([columns[-1] + 1, *(box.x1 for box in boxes)])
    top = max([height - rows[0], *(box.y1 for box in boxes)])
    bottom = min([height - rows[-1] - 1, *(box.y0 for box in boxes)])
    return (left, bottom), (right, top)


def _may_lie_outside(figure, renderer) -> bool:
    """Whether something could be wholly outside of the page, where pixels do not tell of it."""
    if figure.subfigs or figure.artists or figure.lines or figure.patches or figure.images:
        return True
    movable = [*figure.texts, *figure.legends]
    for axes in figure.axes:
        legend = axes.get_legend()
        movable += [axes, *axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label, *([legend] if legend else [])]
        children = axes.get_children()
        if axes.child_axes or axes.tables or axes.artists or len(children) > _ARTISTS_LOOKED_AT:
            return True
        movable += [artist for artist in children if _is_data(artist) and not artist.get_clip_on()]
    page = figure.bbox.padded(1)
    for artist in movable:
        if artist.get_visible() and artist.get_in_layout():
            box = artist.get_window_extent(renderer)
            if box.width > 0 and not (page.contains(box.x0, box.y0) and page.contains(box.x1, box.y1)):
                return True
    return False


def _is_data(artist) -> bool:
    from matplotlib import collections, image, lines, patches, spines

    data = (collections.Collection, image.AxesImage, lines.Line2D, patches.Patch)
    return isinstance(artist, data) and not isinstance(artist, spines.Spine)
