"""The resolution at which a job may save a figure: it must fit into memory and into Agg."""

import os
from typing import Any

from ..host import report
from ..host import request as job_request
from . import png

_RASTER = frozenset({"gif", "jpeg", "jpg", "png", "raw", "rgba", "tif", "tiff", "webp"})


def bounded_dpi(canvas: Any, target: Any, dpi: Any, format: str | None) -> Any:
    """`dpi` as it was given, or the highest that is possible, with a note."""
    from matplotlib import rcParams

    if not format:
        is_path = isinstance(target, (str, bytes, os.PathLike))
        format = os.path.splitext(os.fsdecode(target))[1][1:] if is_path else ""
        format = format or rcParams["savefig.format"]
    if format.lower() not in _RASTER:
        return dpi
    figure = canvas.figure
    asked = rcParams["savefig.dpi"] if dpi is None else dpi
    if asked == "figure":
        asked = figure.dpi
    limit = job_request.current().max_image_pixels
    possible = png.fitting_dpi(figure.get_size_inches(), asked, png.AGG_SIDE, limit)
    if possible >= asked:
        return dpi
    width, height = figure.get_size_inches()
    report.note(
        f"a figure of {width:g}x{height:g} inches was saved at {possible:.3g} "
        f"instead of {asked:g} dpi, to keep within {limit} pixels"
    )
    return possible
