"""`display()` and the value of the last expression: the picture or the text that stands for an object."""

import builtins
import sys

from . import pictures, report, rich

_TEXT_LIMIT = 1_000_000


def install(show_value: bool) -> None:
    """Make `display` a builtin, as in a notebook; the job's last expression runs through sys.displayhook."""
    builtins.display = display
    if show_value:
        sys.displayhook = show_last_value


def display(*objects, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, **_others):
    """Show objects as a notebook would: pictures as images, everything else as text."""
    for item in objects:
        if raw and isinstance(item, dict):
            show_bundle(item)
        else:
            show(item)
    if display_id:
        return DisplayHandle(display_id)
    return None


class DisplayHandle:
    """What `display(..., display_id=True)` returns; an update shows the new state below."""

    def __init__(self, display_id=None):
        self.display_id = display_id

    def display(self, obj, **_options) -> None:
        """Show an object."""
        show(obj)

    def update(self, obj, **_options) -> None:
        """Show an object again."""
        show(obj)


def show_last_value(value) -> None:
    """Show the value of the job's last expression; nothing for None and for what drawing functions return."""
    if value is None or _is_drawing_debris(value):
        return
    show(value)


def show(value) -> None:
    """Show one object; a representation that fails is a note, never the job's failure."""
    if pictures.show_known_picture(value):
        return
    try:
        found = rich.representation(value)
    except (Exception, RecursionError) as error:
        report.note(f"the value of type {type(value).__name__} could not be shown: {type(error).__name__}: {error}")
        return
    _emit(*found)


def show_bundle(bundle: dict) -> None:
    """Show a dictionary from MIME types to data."""
    found = rich.from_bundle(bundle)
    if found is not None:
        _emit(*found)


def _emit(kind: str, data) -> None:
    if kind == "text":
        _print(data)
    elif kind in ("text/html", "text/markdown"):
        from . import markup

        text, found = markup.from_html(data) if kind == "text/html" else markup.from_markdown(data)
        if text.strip() or not found:
            _print(text)
        for picture in found:
            _emit("picture", picture)
    elif not pictures.send_encoded(data):
        _print(f"<{len(data)} bytes of {kind}>")


def _print(text: str) -> None:
    from .errors import shortened

    if sys.stdout is not None:
        sys.stdout.write(shortened(text, _TEXT_LIMIT) + "\n")


def _is_drawing_debris(value) -> bool:
    """Whether a value is what matplotlib's functions return by the way: artists, alone or in containers."""
    if "matplotlib" not in sys.modules:
        return False
    from . import figure_values

    return figure_values.is_debris(value)
