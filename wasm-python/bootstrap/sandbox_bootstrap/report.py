"""What is said about the job besides its output: notes for the model, files that hold pictures."""

from . import frames

EXCEPTION_CODE = 1
DEADLINE_CODE = 124  # what timeout(1) answers
NOTES_LIMIT = 20
NOTE_LENGTH = 500
PICTURES_LIMIT = 100

notes: list[str] = []
saved: list[str] = []
pictures: dict[str, dict] = {}  # by file, the one written last at the end
left: list[str] = []


def start() -> None:
    """Forget what was collected before: a snapshot or a forking parent may have tried itself out."""
    notes.clear()
    saved.clear()
    pictures.clear()
    left.clear()


def note(text: str) -> None:
    """Say one line to the model, once."""
    text = " ".join(text.split())
    if len(text) > NOTE_LENGTH:
        text = text[:NOTE_LENGTH] + "…"
    if text not in notes and len(notes) < NOTES_LIMIT:
        notes.append(text)


def picture_saved(path: str) -> None:
    """Remember that the picture in the file `path` (relative to the work directory) was already handed over."""
    if path not in saved:
        saved.append(path)


def picture_written(path: str, title: str = "", text: str = "") -> None:
    """Remember that the job wrote a picture to `path` (relative to the work directory), and what it shows."""
    pictures.pop(path, None)
    if len(pictures) < PICTURES_LIMIT:
        pictures[path] = {"file": path, "title": title, "text": text}


def left_behind(names: list[str]) -> None:
    """Remember which variables of the session could not move to the other runtime, each with the reason."""
    left.extend(names)


def send(**keys) -> None:
    """Send a report with `keys` and everything collected so far."""
    if notes:
        keys["notes"] = notes
    if saved:
        keys["saved"] = saved
    if pictures:
        keys["pictures"] = list(pictures.values())
    if left:
        keys["left"] = left
    frames.send_report(keys)
