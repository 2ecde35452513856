"""Which figure is shown when: each once, in order, and again only if it has changed.

A record per figure says what became of it. Matplotlib says whether a figure may have changed
(`Artist.stale` travels up to the figure, see `hooks`); comparing the pixels decides.
"""

import os
import sys
import weakref
from typing import Any

from ..host import deadline, frames, report
from ..host import request as job_request
from ..host.request import name_in_workdir

_PICTURES = (".png", ".jpg", ".jpeg", ".gif")  # files that the host shows by itself
_MOVING_PICTURES = (".gif", ".png", ".apng", ".webp")
_SHOWN_AT_MOST = 12  # states of one figure: an animation drawn in a loop is not a film


class Record:
    """What became of one figure so far."""

    def __init__(self) -> None:
        self.changed = True  # since it was shown or saved last
        self.shown = False  # in its present state
        self.times_shown = 0
        self.digest: int | None = None  # of the picture shown last
        self.files: list[str] = []  # files of the work directory that hold its present state
        self.buffers: list[int] = []  # hashes of encoded pictures of its present state
        self.drawing = False  # whether it was saved in a form or place that the host does not show
        self.pauses = 0  # states that an interactive script showed with pause()

    def refresh(self) -> None:
        """If the figure has changed, forget what was known about its former state."""
        if self.changed:
            self.shown = False
            self.files.clear()
            self.buffers.clear()
            self.drawing = False
            self.changed = False


# By id: a figure of a class of the job's need not have a hash.
_records: dict[int, tuple[Any, Record]] = {}


_shown_before: list[bool] = []  # whether any figure was shown yet


def record_of(figure: Any) -> Record:
    """The record of `figure`, made at the first call."""
    key = id(figure)
    known = _records.get(key)
    if known is not None and known[0]() is figure:
        return known[1]
    found = Record()
    _records[key] = weakref.ref(figure, lambda _: _records.pop(key, None)), found
    return found


def _known(figure: Any) -> Record | None:
    reference, record = _records.get(id(figure), (None, None))
    return record if reference is not None and reference() is figure else None


def show(figure: Any, source: str = "figure", last_state: bool = False) -> None:
    """Send `figure`, unless its present state was sent already."""
    if _is_empty(figure):
        return
    record = record_of(figure)
    record.refresh()
    if record.shown:
        return
    if record.times_shown >= _SHOWN_AT_MOST and not last_state:
        record.changed = True
        record.pauses += 1
        return
    try:
        _send(figure, record, source)
    except Exception:
        record.shown = True  # it cannot be drawn: one attempt is enough
        raise


def show_all(block: bool | None = None) -> None:
    """`plt.show()`: every open figure in order; then close them, unless the script draws on."""
    import matplotlib

    keep_open = matplotlib.is_interactive() if block is None else not block
    for manager in _open_managers():
        show(manager.canvas.figure)
        if not keep_open:
            _close(manager)


def pause(_interval: float) -> None:
    """`plt.pause()`: nobody watches, so it does not wait; the last state is shown at the end."""
    for manager in _open_managers():
        record = record_of(manager.canvas.figure)
        if record.changed and not _is_empty(manager.canvas.figure):
            record.pauses += 1


def closing(figure: Any) -> None:
    """A figure is being closed: show it if only pause() or a PDF has shown its state."""
    record = _known(figure)
    if record is None:
        return
    saved_elsewhere = record.drawing and not record.changed
    only_drawing = saved_elsewhere and not record.files and not record.buffers
    if only_drawing or (record.pauses and record.changed):
        show(figure, last_state=True)


def emit_open() -> None:
    """At the end of the job: show the figures that are still open."""
    for manager in _open_managers():
        try:
            show(manager.canvas.figure, last_state=True)
        except Exception as error:  # the other figures may be fine
            what = f"{type(error).__name__}: {' '.join(str(error).split())}"
            report.note(f"an open figure could not be drawn: {what}")
        _close(manager)


def say_what_was_missing() -> None:
    """At the end of the job: note what no figure could show."""
    from . import fonts

    fonts.note_missing()


def note_saved(figure: Any, target: Any, data: bytes | None) -> None:
    """`figure` was just saved: to a file, or to a buffer that now holds `data`."""
    record = record_of(figure)
    record.refresh()
    if data is not None:
        record.buffers.append(hash(data))
        return
    name = name_in_workdir(target)
    if name is None:
        record.drawing = isinstance(target, (str, os.PathLike))  # /tmp, for example
        return
    if _is_empty(figure) and _shown_before:
        report.picture_saved(name)  # not worth showing
        report.note(
            f"savefig() after show() saved an empty figure to `{name}`: "
            "show() closes it, so save first"
        )
        return
    if not name.lower().endswith(_PICTURES):
        record.drawing = True
        return
    record.files.append(name)
    title, text = _in_words(figure)
    report.picture_written(name, title, text)
    if record.shown:
        report.picture_saved(name)


def _in_words(figure: Any) -> tuple[str, str]:
    """The title of a figure, and what it shows."""
    from . import alt_text

    try:
        with unchanged(figure):
            wanted = job_request.current().figure_text
            text = alt_text.describe(figure) if wanted else ""
            return alt_text.title_of(figure), text
    except Exception:  # the picture is there all the same
        return "", ""


def note_animation_saved(figure: Any, target: Any) -> None:
    """The animation of `figure` was just saved; if to a picture, the host shows that."""
    name = name_in_workdir(target)
    if name is not None and name.lower().endswith(_MOVING_PICTURES):
        record = record_of(figure)
        record.changed = False
        record.shown = True


def note_displayed(data: bytes | None, file: str) -> None:
    """The job itself showed an encoded picture or a file: the figure in it need not be shown."""
    key = hash(data)
    for _, record in _records.values():
        if not record.changed and (key in record.buffers or file in record.files):
            record.shown = True


def _send(figure: Any, record: Record, source: str) -> None:
    from . import alt_text, png

    job = job_request.current()
    animation_note = _prepare_animation(figure)
    with unchanged(figure):
        drawing = png.draw(figure, job.max_image_side, job.max_image_pixels)
        digest = drawing.digest()
        text = alt_text.describe(figure) if job.figure_text else ""
        title = alt_text.title_of(figure)
    for file in record.files:
        report.picture_saved(file)
    record.shown = True
    if digest == record.digest:
        return
    header = {"mime": "image/png", "title": title, "text": text, "source": source}
    if record.files:
        header["file"] = f"{job.workdir}/{record.files[0]}"
    for note in [*drawing.notes, animation_note]:
        if note:
            report.note(note)
    if record.pauses > 1:
        report.note(
            f"a figure was drawn again and again ({record.pauses} times); its last state is shown"
        )
    record.pauses = 0
    record.digest = digest
    record.times_shown += 1
    _shown_before.append(True)
    frames.send_image(header, drawing.png())


class unchanged:
    """What happens to the figure inside is our drawing, not a change by the job."""

    def __init__(self, figure: Any) -> None:
        self._record = record_of(figure)

    def __enter__(self) -> None:
        self._changed = self._record.changed

    def __exit__(self, *_exception: object) -> None:
        self._record.changed = self._changed


def _prepare_animation(figure: Any) -> str:
    """Draw the first frame of an animation that is tied to `figure`; returns a note about it."""
    module: Any = sys.modules.get("matplotlib.animation")
    if module is None:
        return ""
    for reference in list(figure.canvas.callbacks.callbacks.get("draw_event", {}).values()):
        owner: Any = getattr(reference(), "__self__", None)
        if isinstance(owner, module.Animation):
            # Otherwise matplotlib warns that it was deleted without rendering.
            owner._draw_was_started = True
            owner._init_draw()
            return (
                "an animation is shown as its first frame; "
                "save it as a GIF (writer='pillow') to get all of it"
            )
    return ""


def _open_managers() -> list[Any]:
    """The managers of pyplot's open figures, in the order of their creation."""
    from matplotlib._pylab_helpers import Gcf

    return sorted(Gcf.figs.values(), key=lambda manager: getattr(manager, "created", 0))


def _close(manager: Any) -> None:
    from matplotlib._pylab_helpers import Gcf

    deadline.shield()
    try:
        Gcf.destroy(manager)
    finally:
        deadline.unshield()


def _is_empty(figure: Any) -> bool:
    """Whether there is nothing to see: no axes, no artists of its own."""
    return not (
        figure.axes
        or figure.lines
        or figure.patches
        or figure.texts
        or figure.images
        or figure.artists
        or figure.legends
        or figure.subfigs
    )
