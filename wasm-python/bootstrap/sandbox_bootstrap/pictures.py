"""Pictures that are not drawn here but come encoded, or as objects of a library: checked, fitted, handed over."""

import sys

from . import frames, report
from . import request as job_request
from .workplace import name_in_workdir

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def show_known_picture(value) -> bool:
    """Show a figure or a PIL image; False for every other object."""
    modules = sys.modules
    if "matplotlib.figure" in modules and isinstance(value, modules["matplotlib.figure"].Figure):
        from . import figures

        figures.show(value, source="display")
        return True
    if "PIL.Image" in modules and isinstance(value, modules["PIL.Image"].Image):
        from . import pil_hooks

        pil_hooks.send(value, source="display")
        return True
    if hasattr(type(value), "_sandbox_picture_"):  # our own stand-in for IPython's Image
        picture = value._sandbox_picture_()
        if picture is not None:
            data, file = picture
            return send_encoded(data, file=name_in_workdir(file) or "" if file else "")
    return False


def send_encoded(data: bytes, source: str = "display", title: str = "", file: str = "") -> bool:
    """Hand over encoded bytes; False if they are no picture that can be shown."""
    found = next((mime for magic, mime in _MAGIC if data.startswith(magic)), None)
    if found is None:
        return _send_converted(data, source, title, file)
    note_displayed(data, file)
    header = {"mime": found, "title": title, "text": "", "source": source}
    if file:
        header["file"] = f"{job_request.current.workdir}/{file}"
        report.picture_saved(file)
    frames.send_image(header, data)
    return True


def note_displayed(data: bytes | None, file: str) -> None:
    """The job shows a picture by itself; if it was saved from a figure, that figure need not be shown again."""
    figures = sys.modules.get(__package__ + ".figures")
    if figures is not None:
        figures.note_displayed(data, file)


def _send_converted(data: bytes, source: str, title: str, file: str) -> bool:
    """Formats that clients do not show (WebP, BMP, TIFF): by way of PIL, if it can be had."""
    try:
        import io

        from PIL import Image

        image = Image.open(io.BytesIO(data))
        image.load()
    except Exception:
        return False
    from . import pil_hooks

    pil_hooks.send(image, source=source, title=title, file=file)
    return True
