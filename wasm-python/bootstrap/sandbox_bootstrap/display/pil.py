"""PIL: `Image.show()` hands the picture to the host instead of starting a viewer."""

import functools
import io
from typing import Any

from PIL import ImageFile

from ..host import report
from ..host import request as job_request
from ..host.request import name_in_workdir
from . import sending

_DEEP_MODES = frozenset({"I", "I;16", "I;16B", "I;16L", "I;16N", "F"})
_DIRECT_MODES = frozenset({"1", "L", "LA", "P", "RGB", "RGBA"})  # what PNG holds
_WHITE = 255


def patch(module: Any) -> None:
    """Replace what `Image.show()` does; remember the order in which pictures are saved."""
    real_save = module.Image.save

    def show(image: Any, title: str | None = None, **_options: Any) -> None:
        send(image, source="pil", title=title or "")

    def save(image: Any, fp: Any, format: str | None = None, **params: Any) -> Any:
        result = real_save(image, fp, format, **params)
        name = name_in_workdir(fp)
        if name is not None:
            report.picture_written(name)
        return result

    module.Image.show = show
    module.Image.save = functools.update_wrapper(save, real_save)


def send(image: Any, source: str, title: str = "", file: str = "") -> None:
    """Send a PIL image as PNG, scaled down to what a client can use."""
    file = file or _file_of(image)
    sending.note_displayed(_encoded_bytes(image), file)
    if not image.width or not image.height:
        report.note(f"an image of {image.width}x{image.height} pixels cannot be shown")
        return
    side = job_request.current().max_image_side
    if image.mode in _DEEP_MODES:
        image = _in_eight_bits(image)
    if image.mode not in _DIRECT_MODES:
        image = image.convert("RGB" if image.mode != "PA" else "RGBA")
    if max(image.size) > side:
        image = image.copy() if image.mode != "P" else image.convert("RGBA")
        image.thumbnail((side, side))
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=3)
    sending.send(buffer.getvalue(), "image/png", source, title, file)


def _in_eight_bits(image: Any) -> Any:
    """A picture with deeper greys, scaled to the range of a screen instead of cut off at white."""
    if image.mode.startswith("I;16"):
        low, high = 0, 65535
    else:
        low, high = image.getextrema()
        low = min(low, 0)
        # One value only, or eight bits deep despite its mode.
        if high == low or (low == 0 and 1 < high <= _WHITE):
            return image.convert("L")
    scale = _WHITE / (high - low)
    return image.convert("F").point(lambda value: value * scale - low * scale).convert("L")


def _file_of(image: Any) -> str:
    """The file of the work directory that an unchanged image was read from."""
    if not isinstance(image, ImageFile.ImageFile):
        return ""
    return name_in_workdir(getattr(image, "filename", "") or None) or ""


def _encoded_bytes(image: Any) -> bytes | None:
    """What an image that was not decoded yet is read from, if that is a buffer."""
    buffer = getattr(image, "fp", None)
    return buffer.getvalue() if isinstance(buffer, io.BytesIO) and not buffer.closed else None
