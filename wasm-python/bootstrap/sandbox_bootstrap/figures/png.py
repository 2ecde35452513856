"""From a figure to PNG bytes: drawn once with Agg, small enough for a client, and cropped.

The size is decided before anything is drawn. A notebook draws twice, to measure and then to crop;
here the pixels of one drawing are cropped.
"""

import math
import struct
import zlib
from typing import Any

from . import crop
from .fonts import remembered_choices

AGG_SIDE = 2**16 - 1
PADDING_INCHES = 0.1  # around the drawn content, as notebooks leave it
COMPRESSION = 3  # takes a tenth of the default's time, for about the same size
WORTH_A_NOTE = 2.0  # a figure drawn that many times smaller than asked for gets a note
LEAST_DPI = 20.0  # FreeType refuses letters below one pixel
# Content that would make the picture this much larger is cut off, because it would dwarf the rest,
ABSURD_GROWTH = 3.0
ABSURD_INCHES = 10.0  # unless the whole is still a picture of usual size.
OPAQUE = 255


class Drawing:
    """The pixels of a drawn figure."""

    def __init__(self, pixels: Any, notes: list[str]) -> None:
        self.pixels = pixels  # RGB, height x width x 3
        self.notes = notes

    def shrink_to(self, max_side: int) -> None:
        """Average blocks of pixels until each side fits; for figures drawn at the least dpi."""
        height, width, _ = self.pixels.shape
        step = -(-max(height, width) // max_side)
        if step > 1:
            rows, columns = min(step, height), min(step, width)
            height, width = max(height // step, 1), max(width // step, 1)
            used = self.pixels[: height * rows, : width * columns]
            blocks = used.reshape(height, rows, width, columns, 3)
            self.pixels = blocks.mean(axis=(1, 3)).astype(self.pixels.dtype)

    def digest(self) -> int:
        """A number that differs for different pictures."""
        return hash((self.pixels.shape, zlib.crc32(self.pixels), zlib.adler32(self.pixels)))

    def png(self) -> bytes:
        """The picture as PNG."""
        import numpy

        height, width, _ = self.pixels.shape
        # Each row starts with a byte for its filter; 0 is none.
        rows: Any = numpy.zeros((height, 1 + width * 3), numpy.uint8)
        rows[:, 1:] = self.pixels.reshape(height, width * 3)
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        parts = (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(rows, COMPRESSION)),
            _chunk(b"IEND", b""),
        )
        return b"".join(parts)


def draw(figure: Any, max_side: int, max_pixels: int) -> Drawing:
    """Draw `figure` at its own resolution, or at the highest that keeps within the limits."""
    dpi = fitting_dpi(figure.get_size_inches(), figure.dpi, max_side, max_pixels)
    if dpi < LEAST_DPI < figure.dpi:
        dpi = fitting_dpi(figure.get_size_inches(), LEAST_DPI, AGG_SIDE, max_pixels)
    try:
        drawing = _draw(figure, dpi, max_side, max_pixels)
    except Exception as error:
        drawing = _as_saved(figure, error)
    drawing.shrink_to(max_side)
    if figure.dpi / dpi >= WORTH_A_NOTE:
        width, height = figure.get_size_inches()
        drawing.notes.append(
            f"a figure of {width:g}x{height:g} inches at {figure.dpi:g} dpi was drawn "
            f"at {dpi:.3g} dpi, to keep each side within {max_side} pixels"
        )
    return drawing


def _draw(figure: Any, dpi: float, max_side: int, max_pixels: int) -> Drawing:
    from matplotlib import cbook

    notes: list[str] = []
    own_dpi = cbook._setattr_cm(figure, dpi=dpi)
    with _AggCanvas(figure) as canvas, own_dpi, remembered_choices():
        canvas.draw()
        renderer = canvas.get_renderer()
        pixels = _rgb(renderer.buffer_rgba())
        try:
            box = crop.content_box(figure, renderer)
        except Exception:  # artists that can be drawn and not be measured
            box = None
        if box is None:
            return Drawing(pixels, notes)
        box = box.padded(PADDING_INCHES)
        height, width, _ = pixels.shape
        left, right = math.floor(box.x0 * dpi), math.ceil(box.x1 * dpi)
        top, bottom = height - math.ceil(box.y1 * dpi), height - math.floor(box.y0 * dpi)
        if left >= -1 and top >= -1 and right <= width + 1 and bottom <= height + 1:
            return Drawing(pixels[max(top, 0) : bottom, max(left, 0) : right].copy(), notes)
        growth = max(box.width * dpi / width, box.height * dpi / height)
        if growth > ABSURD_GROWTH and max(box.width, box.height) > ABSURD_INCHES:
            notes.append("content far outside of the figure was cut off")
            return Drawing(pixels, notes)
        try:
            pixels = _draw_box(canvas, box, dpi, max_side, max_pixels)
        except Exception:
            notes.append("content outside of the figure was cut off: it cannot be drawn with it")
        return Drawing(pixels, notes)


def _as_saved(figure: Any, error: Exception) -> Drawing:
    """The picture that `savefig` makes; raises `error` if that fails, too."""
    import io

    import matplotlib.image
    import numpy

    buffer = io.BytesIO()
    try:
        figure.savefig(buffer, format="png")
    except Exception:
        raise error from None
    buffer.seek(0)
    pixels = matplotlib.image.imread(buffer, format="png")
    return Drawing(_rgb((pixels * OPAQUE).astype(numpy.uint8)), [])


def fitting_dpi(inches: Any, dpi: float, max_side: int, max_pixels: int) -> float:
    """`dpi`, or less if the picture would not fit."""
    width, height = (max(float(side), 1e-3) for side in inches)
    by_pixels = math.sqrt(max_pixels / (width * height))
    return min(dpi, max_side / width, max_side / height, by_pixels)


def _draw_box(canvas: Any, box: Any, dpi: float, max_side: int, max_pixels: int) -> Any:
    """Draw again on a page as large as `box`: something reaches over the figure's edge."""
    import io

    import numpy

    dpi = fitting_dpi((box.width, box.height), dpi, max_side, max_pixels)
    sizes = []

    class Buffer(io.BytesIO):
        def write(self, data: Any) -> int:
            sizes.append(canvas.get_renderer().buffer_rgba().shape)
            return super().write(data)

    buffer = Buffer()
    # "raw" is Agg's memory as it is; its shape is known only while it is written.
    canvas.print_figure(
        buffer, dpi=dpi, format="raw", bbox_inches=box, facecolor="auto", edgecolor="auto"
    )
    return _rgb(numpy.frombuffer(buffer.getvalue(), numpy.uint8).reshape(sizes[-1]))


def _rgb(rgba: Any) -> Any:
    """RGB pixels of an RGBA buffer: white behind what is transparent, whatever the client has."""
    import numpy

    rgba = numpy.asarray(rgba)
    alpha = rgba[:, :, 3]
    if (alpha == OPAQUE).all():
        return numpy.ascontiguousarray(rgba[:, :, :3])
    share = alpha[:, :, None].astype(numpy.float32) / OPAQUE
    return (rgba[:, :, :3] * share + OPAQUE * (1 - share) + 0.5).astype(numpy.uint8)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


class _AggCanvas:
    """Lends a figure an Agg canvas, and gives the figure its own back."""

    def __init__(self, figure: Any) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self._figure = figure
        self._own = figure.canvas
        is_agg = isinstance(self._own, FigureCanvasAgg)
        self._agg = self._own if is_agg else FigureCanvasAgg(figure)

    def __enter__(self) -> Any:
        return self._agg

    def __exit__(self, *_exception: object) -> None:
        if self._figure.canvas is not self._own:
            self._figure.set_canvas(self._own)
