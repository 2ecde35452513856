"""What jobs use of `IPython.display`: the same names, shown as this sandbox can show them."""

import os

from .display import DisplayHandle, display

__all__ = [
    "Audio", "Code", "DisplayHandle", "DisplayObject", "HTML", "IFrame", "Image", "JSON", "Javascript", "Latex",
    "Markdown", "Math", "Pretty", "SVG", "TextDisplayObject", "Video", "YouTubeVideo", "clear_output", "display",
    "display_html", "display_jpeg", "display_latex", "display_markdown", "display_pdf", "display_png", "display_svg",
    "set_matplotlib_close", "set_matplotlib_formats", "update_display",
]  # fmt: skip


class DisplayObject:
    """Data with the way to show it."""

    _is_binary = False

    def __init__(self, data=None, url=None, filename=None, metadata=None, **_options):
        if isinstance(data, os.PathLike):
            data, filename = None, os.fspath(data)
        elif isinstance(data, str) and filename is None and url is None and self._names_a_file(data):
            data, filename = (None, data) if not data.startswith(("http://", "https://")) else (None, None)
        self.data, self.url, self.filename, self.metadata = data, url, filename, metadata or {}
        if data is None and filename is not None:
            self.reload()

    def _names_a_file(self, _text: str) -> bool:
        return False

    def reload(self) -> None:
        """Read the file again."""
        if self.filename is not None:
            with open(self.filename, "rb") as file:
                data = file.read()
            self.data = data if self._is_binary else data.decode()

    def __repr__(self):
        return f"<IPython.core.display.{type(self).__name__} object>"


class TextDisplayObject(DisplayObject):
    """Text of a kind."""

    _kind = "text/plain"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self._kind: self.data if self.data is not None else self._absent()}

    def _absent(self) -> str:
        return f"<{type(self).__name__}: {self.url or 'no data'} (nothing is fetched from the network)>"


class Pretty(TextDisplayObject):
    """Plain text."""

    _kind = "text/plain"


class HTML(TextDisplayObject):
    """HTML, shown as its text."""

    _kind = "text/html"


class Markdown(TextDisplayObject):
    """Markdown."""

    _kind = "text/markdown"


class Latex(TextDisplayObject):
    """LaTeX."""

    _kind = "text/latex"


class SVG(TextDisplayObject):
    """SVG, shown as its source."""

    _kind = "image/svg+xml"


class Math(Latex):
    """A formula."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self._kind: f"$\\displaystyle {str(self.data).strip('$')}$"}


class JSON(DisplayObject):
    """Data shown as JSON."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        import json

        return {"text/plain": self.data if isinstance(self.data, str) else json.dumps(self.data, indent=2, default=str)}


class Code(TextDisplayObject):
    """Source code."""


class Image(DisplayObject):
    """A picture from bytes, a file, or (not fetched) an address."""

    _is_binary = True

    def __init__(self, data=None, url=None, filename=None, format=None, embed=None, width=None, height=None, **options):
        if isinstance(data, str) and data.startswith(("http://", "https://")):
            data, url = None, data
        super().__init__(data, url, filename, **options)
        self.format, self.width, self.height = format, width, height

    def _names_a_file(self, text: str) -> bool:
        return True

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.data is None:
            return {"text/plain": f"<Image: {self.url or 'no data'} (nothing is fetched from the network)>"}
        return None

    def _sandbox_picture_(self) -> tuple[bytes, str] | None:
        """The bytes, and the file they come from."""
        data = self.data
        if isinstance(data, str):
            from base64 import b64decode

            data = b64decode(data)
        return None if data is None else (bytes(data), os.fspath(self.filename or ""))


class _NotPlayable(DisplayObject):
    """What a text and image channel cannot carry: said, not shown."""

    _is_binary = True

    def __init__(self, data=None, *_args, **_options):
        self.data = None
        self.source = data if isinstance(data, (str, os.PathLike)) else ""

    def _repr_mimebundle_(self, include=None, exclude=None):
        source = f" {self.source}" if self.source and len(str(self.source)) < 200 else ""
        return {"text/plain": f"<{type(self).__name__}{source}: cannot be shown here>"}


class Audio(_NotPlayable):
    """Sound."""


class Video(_NotPlayable):
    """A film."""


class YouTubeVideo(_NotPlayable):
    """A film elsewhere."""


class IFrame(_NotPlayable):
    """A page elsewhere."""


class Javascript(_NotPlayable):
    """A script for a browser."""


def _display_as(kind: type):
    def show(*objects, raw=False, **_options) -> None:
        for item in objects:
            display(kind(item) if raw else item)

    return show


display_html, display_markdown, display_svg = _display_as(HTML), _display_as(Markdown), _display_as(SVG)
display_png, display_jpeg, display_latex = _display_as(Image), _display_as(Image), _display_as(Latex)
display_pdf = display


def update_display(obj, *, display_id, **_options) -> None:
    """Show an object again: what was shown cannot be taken back."""
    display(obj)


def clear_output(wait=False) -> None:
    """Nothing: what was shown cannot be taken back."""


def set_matplotlib_formats(*_formats, **_options) -> None:
    """Nothing: figures always come as PNG."""


def set_matplotlib_close(close=True) -> None:
    """Nothing: shown figures are always closed."""
