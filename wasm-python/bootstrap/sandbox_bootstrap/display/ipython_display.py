"""What jobs use of `IPython.display`: the same names, shown as well as this sandbox can."""

import os
from typing import Any

from .show import DisplayHandle, display

__all__ = [
    "HTML",
    "JSON",
    "SVG",
    "Audio",
    "Code",
    "DisplayHandle",
    "DisplayObject",
    "IFrame",
    "Image",
    "Javascript",
    "Latex",
    "Markdown",
    "Math",
    "Pretty",
    "TextDisplayObject",
    "Video",
    "YouTubeVideo",
    "clear_output",
    "display",
    "display_html",
    "display_jpeg",
    "display_latex",
    "display_markdown",
    "display_pdf",
    "display_png",
    "display_svg",
    "set_matplotlib_close",
    "set_matplotlib_formats",
    "update_display",
]

_SOURCE_SHOWN = 200  # characters of what cannot be shown


class DisplayObject:
    """Data together with the way to show it."""

    _is_binary = False

    def __init__(
        self,
        data: Any = None,
        url: Any = None,
        filename: Any = None,
        metadata: Any = None,
        **_options: Any,
    ) -> None:
        if isinstance(data, os.PathLike):
            data, filename = None, os.fspath(data)
        elif (
            isinstance(data, str) and filename is None and url is None and self._names_a_file(data)
        ):
            is_address = data.startswith(("http://", "https://"))
            data, filename = None, None if is_address else data
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

    def __repr__(self) -> str:
        return f"<IPython.core.display.{type(self).__name__} object>"


class TextDisplayObject(DisplayObject):
    """Text of a kind."""

    _kind = "text/plain"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return {self._kind: self.data if self.data is not None else self._absent()}

    def _absent(self) -> str:
        what = f"{type(self).__name__}: {self.url or 'no data'}"
        return f"<{what} (nothing is fetched from the network)>"


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

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return {self._kind: f"$\\displaystyle {str(self.data).strip('$')}$"}


class JSON(DisplayObject):
    """Data shown as JSON."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        import json

        data = self.data
        text = data if isinstance(data, str) else json.dumps(data, indent=2, default=str)
        return {"text/plain": text}


class Code(TextDisplayObject):
    """Source code."""


class Image(DisplayObject):
    """A picture from bytes, a file, or (not fetched) an address."""

    _is_binary = True

    def __init__(  # noqa: PLR0913, PLR0917  # the signature is IPython's
        self,
        data: Any = None,
        url: Any = None,
        filename: Any = None,
        format: Any = None,
        embed: Any = None,
        width: Any = None,
        height: Any = None,
        **options: Any,
    ) -> None:
        if isinstance(data, str) and data.startswith(("http://", "https://")):
            data, url = None, data
        super().__init__(data, url, filename, **options)
        self.format, self.width, self.height = format, width, height

    def _names_a_file(self, text: str) -> bool:
        return True

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        if self.data is None:
            what = self.url or "no data"
            return {"text/plain": f"<Image: {what} (nothing is fetched from the network)>"}
        return None

    def _sandbox_picture_(self) -> tuple[bytes, str] | None:
        """The bytes, and the file that they come from."""
        data = self.data
        if isinstance(data, str):
            from base64 import b64decode

            data = b64decode(data)
        return None if data is None else (bytes(data), os.fspath(self.filename or ""))


class _NotPlayable(DisplayObject):
    """Something that is neither text nor image: it is named, not shown."""

    _is_binary = True

    def __init__(self, data: Any = None, *_args: Any, **_options: Any) -> None:
        self.data = None
        self.source = data if isinstance(data, (str, os.PathLike)) else ""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        is_short = len(str(self.source)) < _SOURCE_SHOWN
        source = f" {self.source}" if self.source and is_short else ""
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


def _display_as(kind: type) -> Any:
    def show(*objects: Any, raw: bool = False, **_options: Any) -> None:
        for item in objects:
            display(kind(item) if raw else item)

    return show


display_html = _display_as(HTML)
display_markdown = _display_as(Markdown)
display_svg = _display_as(SVG)
display_png = _display_as(Image)
display_jpeg = _display_as(Image)
display_latex = _display_as(Latex)
display_pdf = display


def update_display(obj: Any, *, display_id: Any, **_options: Any) -> None:
    """Show an object again: what was shown cannot be taken back."""
    display(obj)


def clear_output(wait: bool = False) -> None:
    """Nothing: what was shown cannot be taken back."""


def set_matplotlib_formats(*_formats: Any, **_options: Any) -> None:
    """Nothing: figures are always PNG."""


def set_matplotlib_close(close: bool = True) -> None:
    """Nothing: shown figures are always closed."""
