"""Hands an encoded picture over to the host."""

import sys
from typing import Any

from ..host import frames, report
from ..host import request as job_request

_TRACKER = "sandbox_bootstrap.figures.tracker"


def loaded_tracker() -> Any:
    """The module that tracks figures; None if matplotlib, and with it this module, was not used."""
    return sys.modules.get(_TRACKER)


def send(data: bytes, mime: str, source: str, title: str = "", file: str = "") -> None:
    """Send the picture `data`; `file` is the file of the work directory that holds it."""
    header = {"mime": mime, "title": title, "text": "", "source": source}
    if file:
        header["file"] = f"{job_request.current().workdir}/{file}"
        report.picture_saved(file)
    frames.send_image(header, data)


def note_displayed(data: bytes | None, file: str) -> None:
    """The job shows a picture itself: a figure that was saved to it need not be shown again."""
    tracker = loaded_tracker()
    if tracker is not None:
        tracker.note_displayed(data, file)
