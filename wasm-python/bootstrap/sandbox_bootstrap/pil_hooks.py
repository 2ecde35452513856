"""PIL: `Image.show()` hands the picture to the host instead of starting a viewer."""

import functools
import io

from PIL import ImageFile

from . import frames, pictures, report
from . import request as job_request
from .workplace import name_in_workdir

_DEEP_MODES = frozenset({"I", "I;16", "I;16B", "I;16L", "I;16N", "F"})
_DIRECT_MODES = frozenset({"1", "L", "LA", "P", "RGB", "RGBA"})  # what PNG holds


def patch(module) -> None:
    """Replace the way out of `Image.show()`; remember the order in which pictures are saved."""
    real_save = module.Image.save

    def show(image, title=None, **_options) -> None:
        send(image, source="pil", title=title or "")

    def save(image, fp, format=None, **params):
        result = real_save(image, fp, format, **params)
        name = name_in_workdir(fp)
        if name is not None:
            report.picture_written(name)
        return result

    module.Image.show = show
    module.Image.save = functools.update_wrapper(save, real_save)


def send(image, source: str, title: str = "", file: str = "") -> None:
    """Hand a PIL image over as PNG, scaled down to what a client can use."""
    file = file or _file_of(image)
    pictures.note_displayed(_encoded_bytes(image), file)
    limits = job_request.current
    if not image.width or not image.height:
        report.note(f"an image of {image.width}x{image.height} pixels cannot be shown")
        return
    side = limits.max_image_side
    if image.mode in _DEEP_MODES:
        image = _in_eight_bits(image)
    if image.mode not in _DIRECT_MODES:
        image = image.convert("RGB" if image.mode != "PA" else "RGBA")
    if max(image.size) > side:
        image = image.copy() if image.mode != "P" else image.convert("RGBA")
        image.thumbnail((side, side))
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=3)
    header = {"mime": "image/png", "title": title, "text": "", "source": source}
    if file:
        header["file"] = f"{limits.workdir}/{file}"
        report.picture_saved(file)
    frames.send_image(header, buffer.getvalue())


def _in_eight_bits(image):
    """A picture with deeper greys, brought into the range that a screen shows instead of cut off at white."""
    if image.mode.startswith("I;16"):
        low, high = 0, 65535
    else:
        low, high = image.getextrema()
        low = min(low, 0)
        if high == low or (low == 0 and 1 < high <= 255):  # one value, or what is eight bits deep in spite of its mode
            return image.convert("L")
    scale = 255 / (high - low)
    return image.convert("F").point(lambda value: value * scale - low * scale).convert("L")


def _file_of(image) -> str:
    """The file of the work directory that an unchanged image was read from."""
    if not isinstance(image, ImageFile.ImageFile):
        return ""
    return name_in_workdir(getattr(image, "filename", "") or None) or ""


def _encoded_bytes(image) -> bytes | None:
    """What an image that was not decoded yet is read from, if that is a buffer."""
    buffer = getattr(image, "fp", None)
    return buffer.getvalue() if isinstance(buffer, io.BytesIO) and not buffer.closed else None
