"""Pictures that come encoded, or as objects of a library: recognised, then handed over."""

import sys
from typing import Any

from ..host.request import name_in_workdir
from . import sending

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def show_known_picture(value: Any) -> bool:
    """Show a figure or a PIL image; False for every other object."""
    modules = sys.modules
    if "matplotlib.figure" in modules and isinstance(value, modules["matplotlib.figure"].Figure):
        from ..figures import tracker

        tracker.show(value, source="display")
        return True
    if "PIL.Image" in modules and isinstance(value, modules["PIL.Image"].Image):
        from . import pil

        pil.send(value, source="display")
        return True
    if hasattr(type(value), "_sandbox_picture_"):  # our own stand-in for IPython's Image
        picture = value._sandbox_picture_()
        if picture is not None:
            data, file = picture
            return send_encoded(data, file=name_in_workdir(file) or "" if file else "")
    return False


def send_encoded(data: bytes, source: str = "display", title: str = "", file: str = "") -> bool:
    """Hand over encoded bytes; False if they are no picture that can be shown."""
    mime = next((mime for magic, mime in _MAGIC if data.startswith(magic)), None)
    if mime is None:
        return _send_converted(data, source, title, file)
    sending.note_displayed(data, file)
    sending.send(data, mime, source, title, file)
    return True


def _send_converted(data: bytes, source: str, title: str, file: str) -> bool:
    """Formats that clients do not show (WebP, BMP, TIFF): let PIL convert them, if it is there."""
    try:
        import io

        from PIL import Image

        image = Image.open(io.BytesIO(data))
        image.load()
    except Exception:
        return False
    from . import pil

    pil.send(image, source=source, title=title, file=file)
    return True
