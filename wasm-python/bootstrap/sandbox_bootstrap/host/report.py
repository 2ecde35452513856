"""The report: what the host learns about a job besides its output.

The other side is `Report` in `src/job/report.rs`. `tests/contract.rs` compares the two field
for field: it reads the lines of the classes below that declare a key.
"""

import sys
from typing import Any, Literal, NotRequired, TypedDict

from . import frames

EXCEPTION_CODE = 1
DEADLINE_CODE = 124  # what timeout(1) answers
NOTES_LIMIT = 20
NOTE_LENGTH = 500
PICTURES_LIMIT = 100

Exit = Literal["ok", "exception", "exit", "needs_native", "deadline"]
Noticed = Literal["import", "attempt"]


class PythonError(TypedDict):
    """The exception that ended a job."""

    type: str
    message: str
    traceback: str


class WrittenPicture(TypedDict):
    """A picture that the job wrote to a file of the work directory."""

    file: str
    title: str
    text: str


class Ending(TypedDict):
    """How the job's code ended."""

    exit: Exit
    code: int  # exit code
    error: NotRequired[PythonError]
    module: NotRequired[str]  # needs_native: the module that asks for the native runtime
    how: NotRequired[Noticed]  # needs_native: how that was noticed
    where: NotRequired[str]  # deadline: the running frames


class Report(Ending):
    """An ending with everything that was collected on the way."""

    notes: NotRequired[list[str]]  # hints for the model, one line each
    saved: NotRequired[list[str]]  # files whose picture is already among the images
    pictures: NotRequired[list[WrittenPicture]]  # in the order of writing
    left: NotRequired[list[str]]  # variables of the session that could not migrate, with the reason
    imported: NotRequired[list[str]]  # modules that the fork server could have had ready


notes: list[str] = []
saved: list[str] = []
pictures: dict[str, WrittenPicture] = {}  # by file; the one written last is at the end
left: list[str] = []
worth_learning: tuple[str, ...] = ()  # modules that the fork server wants to hear of


def start() -> None:
    """Forget what was collected before: a snapshot or a forking parent may have run code."""
    notes.clear()
    saved.clear()
    pictures.clear()
    left.clear()


def note(text: str) -> None:
    """Give the model one line, once."""
    text = " ".join(text.split())
    if len(text) > NOTE_LENGTH:
        text = text[:NOTE_LENGTH] + "…"
    if text not in notes and len(notes) < NOTES_LIMIT:
        notes.append(text)


def picture_saved(path: str) -> None:
    """Remember that the picture in `path` (relative to the work directory) was handed over."""
    if path not in saved:
        saved.append(path)


def picture_written(path: str, title: str = "", text: str = "") -> None:
    """Remember that the job wrote a picture to `path` (as above), and what it shows."""
    pictures.pop(path, None)
    if len(pictures) < PICTURES_LIMIT:
        pictures[path] = {"file": path, "title": title, "text": text}


def left_behind(names: list[str]) -> None:
    """Remember which variables of the session could not migrate, each with the reason."""
    left.extend(names)


def send(ending: Ending) -> None:
    """Send a report: `ending` and everything collected so far."""
    keys: dict[str, Any] = {**ending}
    if notes:
        keys["notes"] = notes
    if saved:
        keys["saved"] = saved
    if pictures:
        keys["pictures"] = list(pictures.values())
    if left:
        keys["left"] = left
    if ending["exit"] == "ok" and (imported := _imported()):
        keys["imported"] = imported
    frames.send_report(keys)


def _imported() -> list[str]:
    try:
        return [name for name in worth_learning if name in sys.modules]
    except Exception:  # the job put something else in the place of `sys.modules`
        return []
