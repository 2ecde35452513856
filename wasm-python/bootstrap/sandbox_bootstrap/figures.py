"""Which figure is shown when: each once, in order, and again only if it has changed.

A record per figure keeps what became of it.  Whether a figure has changed since is told by matplotlib itself
(`Artist.stale` travels up to the figure, see `figure_hooks`), and settled by comparing pixels.
"""

import os
import weakref

from . import deadline, frames, report
from . import request as job_request
from .workplace import name_in_workdir

_PICTURES = (".png", ".jpg", ".jpeg", ".gif")  # files that the host shows by itself
_MOVING_PICTURES = (".gif", ".png", ".apng", ".webp")
_SHOWN_AT_MOST = 12  # states of one figure: an animation drawn in a loop is not a film


class Record:
    """What became of one figure so far."""

    def __init__(self):
        self.changed = True  # since it was shown or saved last
        self.shown = False  # in its present state
        self.times_shown = 0
        self.digest = None  # of the picture shown last
        self.files: list[str] = []  # of the work directory, that hold its present state
        self.buffers: list[int] = []  # hashes of encoded pictures of its present state
        self.drawing = False  # whether it was saved as something that the host cannot show, or does not see
        self.pauses = 0  # states that an interactive script showed with pause()

    def is_current(self) -> bool:
        """Whether nothing has changed since; otherwise what was said about the figure is void."""
        if self.changed:
            self.shown = False
            self.files.clear()
            self.buffers.clear()
            self.drawing = False
            self.changed = False
            return False
        return True


_records: "weakref.WeakKeyDictionary[object, Record]" = weakref.WeakKeyDictionary()


_shown_before: list[bool] = []  # whether any figure was shown yet


def record_of(figure) -> Record:
    """The record of `figure`, made when first asked for."""
    found = _records.get(figure)
    if found is None:
        found = _records[figure] = Record()
    return found


def show(figure, source: str = "figure", last_state: bool = False) -> None:
    """Hand `figure` over, unless its present state was already."""
    if _is_empty(figure):
        return
    record = record_of(figure)
    record.is_current()
    if record.shown:
        return
    if record.times_shown >= _SHOWN_AT_MOST and not last_state:
        record.changed = True
        record.pauses += 1
        return
    try:
        _send(figure, record, source)
    except Exception:
        record.shown = True  # it cannot be drawn: once is enough
        raise


def show_all(block: bool | None = None) -> None:
    """What `plt.show()` does: every open figure in order; then they are closed, unless the script draws on."""
    import matplotlib

    keep_open = matplotlib.is_interactive() if block is None else not block
    for manager in _open_managers():
        show(manager.canvas.figure)
        if not keep_open:
            _close(manager)


def pause(_interval: float) -> None:
    """What `plt.pause()` does: nobody watches, so it does not wait; the last state is shown in the end."""
    for manager in _open_managers():
        record = record_of(manager.canvas.figure)
        if record.changed and not _is_empty(manager.canvas.figure):
            record.pauses += 1


def closing(figure) -> None:
    """A figure is being closed: what pause() showed of it, or a PDF holds, would not be seen."""
    record = _records.get(figure)
    if record is None:
        return
    only_drawing = record.drawing and not record.changed and not record.files and not record.buffers
    if only_drawing or (record.pauses and record.changed):
        show(figure, last_state=True)


def emit_open() -> None:
    """At the end of the job: show the figures that are still open."""
    for manager in _open_managers():
        try:
            show(manager.canvas.figure, last_state=True)
        except Exception as error:  # of the others there is more to see
            report.note(f"an open figure could not be drawn: {type(error).__name__}: {' '.join(str(error).split())}")
        _close(manager)


def say_what_was_missing() -> None:
    """At the end of the job: what no figure could show."""
    from . import figure_fonts

    figure_fonts.note_missing()


def note_saved(figure, target, data: bytes | None) -> None:
    """`figure` was just saved: to a file, or to a buffer that now holds `data`."""
    record = record_of(figure)
    record.is_current()
    if data is not None:
        record.buffers.append(hash(data))
        return
    name = name_in_workdir(target)
    if name is None:
        record.drawing = isinstance(target, (str, os.PathLike))  # /tmp, for example
        return
    if _is_empty(figure) and _shown_before:
        report.picture_saved(name)  # not worth showing
        report.note(f"savefig() after show() saved an empty figure to `{name}`: show() closes it, so save first")
        return
    if not name.lower().endswith(_PICTURES):
        record.drawing = True
        return
    record.files.append(name)
    title, text = _in_words(figure)
    report.picture_written(name, title, text)
    if record.shown:
        report.picture_saved(name)


def _in_words(figure) -> tuple[str, str]:
    """The title of a figure, and what it shows."""
    from . import figure_text

    try:
        with unchanged(figure):
            text = figure_text.describe(figure) if job_request.current.figure_text else ""
            return figure_text.title_of(figure), text
    except Exception:  # the picture is there all the same
        return "", ""


def note_animation_saved(figure, target) -> None:
    """The animation of `figure` was just saved; if to a picture, the host shows that."""
    name = name_in_workdir(target)
    if name is not None and name.lower().endswith(_MOVING_PICTURES):
        record = record_of(figure)
        record.changed = False
        record.shown = True


def note_displayed(data: bytes | None, file: str) -> None:
    """The job itself showed an encoded picture, or a file; the figure it was saved from need not be shown again."""
    key = hash(data)
    for record in _records.values():
        if not record.changed and (key in record.buffers or file in record.files):
            record.shown = True


def _send(figure, record: Record, source: str) -> None:
    from . import figure_png, figure_text

    limits = job_request.current
    animation_note = _prepare_animation(figure)
    with unchanged(figure):
        drawing = figure_png.draw(figure, limits.max_image_side, limits.max_image_pixels)
        digest = drawing.digest()
        text = figure_text.describe(figure) if limits.figure_text else ""
        title = figure_text.title_of(figure)
    for file in record.files:
        report.picture_saved(file)
    record.shown = True
    if digest == record.digest:
        return
    header = {"mime": "image/png", "title": title, "text": text, "source": source}
    if record.files:
        header["file"] = f"{limits.workdir}/{record.files[0]}"
    for note in [*drawing.notes, animation_note]:
        if note:
            report.note(note)
    if record.pauses > 1:
        report.note(f"a figure was drawn again and again ({record.pauses} times); its last state is shown")
    record.pauses = 0
    record.digest = digest
    record.times_shown += 1
    _shown_before.append(True)
    frames.send_image(header, drawing.png())


class unchanged:
    """What happens to the figure inside is our drawing, not a change by the job."""

    def __init__(self, figure):
        self._record = record_of(figure)

    def __enter__(self):
        self._changed = self._record.changed

    def __exit__(self, *_exception):
        self._record.changed = self._changed


def _prepare_animation(figure) -> str:
    """Draw the first frame of an animation that is tied to `figure`; the note that goes with it."""
    import sys

    module = sys.modules.get("matplotlib.animation")
    if module is None:
        return ""
    for reference in list(figure.canvas.callbacks.callbacks.get("draw_event", {}).values()):
        owner = getattr(reference(), "__self__", None)
        if isinstance(owner, module.Animation):
            owner._draw_was_started = True  # or matplotlib warns that it was deleted without rendering
            owner._init_draw()
            return "an animation is shown as its first frame; save it as a GIF (writer='pillow') to get all of it"
    return ""


def _open_managers() -> list:
    """The managers of pyplot's open figures, in the order of their creation."""
    from matplotlib._pylab_helpers import Gcf

    return sorted(Gcf.figs.values(), key=lambda manager: getattr(manager, "created", 0))


def _close(manager) -> None:
    from matplotlib._pylab_helpers import Gcf

    deadline.shield()
    try:
        Gcf.destroy(manager)
    finally:
        deadline.unshield()


def _is_empty(figure) -> bool:
    """Whether there is nothing to see: no axes, no artists of its own."""
    return not (figure.axes or figure.lines or figure.patches or figure.texts or figure.images or figure.artists
                or figure.legends or figure.subfigs)  # fmt: skip
