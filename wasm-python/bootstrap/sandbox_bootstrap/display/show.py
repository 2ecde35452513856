"""`display()` and the value of the last expression: as a picture or as text."""

import builtins
import sys
from typing import Any

from ..host import report
from ..host.ending import shortened
from . import pictures, representation

_TEXT_LIMIT = 1_000_000  # characters


def install(show_value: bool) -> None:
    """Make `display` a builtin, as in a notebook; the last expression runs sys.displayhook."""
    builtins.display = display  # type: ignore[attr-defined]
    if show_value:
        sys.displayhook = show_last_value


def display(  # noqa: PLR0913  # the signature is IPython's
    *objects: Any,
    include: Any = None,
    exclude: Any = None,
    metadata: Any = None,
    transient: Any = None,
    display_id: Any = None,
    raw: bool = False,
    **_others: Any,
) -> "DisplayHandle | None":
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

    def __init__(self, display_id: Any = None) -> None:
        self.display_id = display_id

    def display(self, obj: Any, **_options: Any) -> None:
        """Show an object."""
        show(obj)

    def update(self, obj: Any, **_options: Any) -> None:
        """Show an object again."""
        show(obj)


def show_last_value(value: Any) -> None:
    """Show the value of the last expression, but not None nor what drawing functions return."""
    if value is None or _is_from_drawing(value):
        return
    show(value)


def show(value: Any) -> None:
    """Show one object; if its representation fails, that is a note and no failure of the job."""
    if pictures.show_known_picture(value):
        return
    try:
        found = representation.representation(value)
    except Exception as error:
        kind, why = type(value).__name__, f"{type(error).__name__}: {error}"
        report.note(f"the value of type {kind} could not be shown: {why}")
        return
    _emit(*found)


def show_bundle(bundle: dict[str, Any]) -> None:
    """Show a dictionary from MIME types to data."""
    found = representation.from_bundle(bundle)
    if found is not None:
        _emit(*found)


def _emit(kind: str, data: Any) -> None:
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
        _print(f"<{len(data)} byte{'s' * (len(data) != 1)} of {kind}>")


def _print(text: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(shortened(text, _TEXT_LIMIT) + "\n")


def _is_from_drawing(value: Any) -> bool:
    """Whether a value is what matplotlib's functions return: artists, alone or in containers."""
    if "matplotlib" not in sys.modules:
        return False
    from ..figures import return_values

    return return_values.is_artists(value)
