"""The resolution at which a job may save a figure: a picture must fit into memory, and into Agg's 16-bit sides."""

import os

from . import figure_png, report
from . import request as job_request

_RASTER = frozenset({"gif", "jpeg", "jpg", "png", "raw", "rgba", "tif", "tiff", "webp"})


def bounded_dpi(canvas, target, dpi, format):
    """`dpi` as it was given, or the highest that is possible; that it was lowered is told."""
    from matplotlib import rcParams

    if not format:
        named = isinstance(target, (str, bytes, os.PathLike))
        format = os.path.splitext(os.fsdecode(target))[1][1:] if named else ""
        format = format or rcParams["savefig.format"]
    if format.lower() not in _RASTER:
        return dpi
    figure = canvas.figure
    asked = rcParams["savefig.dpi"] if dpi is None else dpi
    if asked == "figure":
        asked = figure.dpi
    limit = job_request.current.max_image_pixels
    possible = figure_png.fitting_dpi(figure.get_size_inches(), asked, figure_png.AGG_SIDE, limit)
    if possible >= asked:
        return dpi
    width, height = figure.get_size_inches()
    report.note(
        f"a figure of {width:g}x{height:g} inches was saved at {possible:.3g} instead of {asked:g} dpi, "
        f"to keep within {limit} pixels"
    )
    return possible
