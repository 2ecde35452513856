"""HTML and Markdown as text and pictures: enough for the tables and lists that objects show."""

import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from html.parser import HTMLParser

_EMBEDDED = re.compile(r"data:image/[\w.+-]+;base64,([A-Za-z0-9+/=\s%]+)")
_MARKDOWN_PICTURE = re.compile(r"!\[([^\]]*)\]\((data:image/[^)]*)\)")

_BLOCKS = frozenset(
    "address article blockquote br caption dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr li "
    "main ol p pre section summary table tbody tfoot thead tr ul".split()
)
_SILENT = frozenset({"script", "style", "head", "title", "template"})
_CELLS = frozenset({"td", "th"})


def from_html(html: str) -> tuple[str, list[bytes]]:
    """The text and the embedded pictures.

    A block is a line; the cells of a row are two spaces apart.
    """
    parser = _TextParser()
    parser.feed(html)
    parser.close()
    return parser.text(), parser.pictures


def from_markdown(markdown: str) -> tuple[str, list[bytes]]:
    """The text without the embedded pictures, and those."""
    pictures: list[bytes] = []

    def take(match: re.Match[str]) -> str:
        picture = _decoded(match[2])
        if picture is None:
            return match[0]
        pictures.append(picture)
        return match[1]

    return _MARKDOWN_PICTURE.sub(take, markdown), pictures


def _decoded(address: str) -> bytes | None:
    """The bytes of a `data:` address of a picture."""
    match = _EMBEDDED.match(address)
    if match is None:
        return None
    try:
        return a2b_base64(match[1])
    except Base64Error:
        return None


class _TextParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pictures: list[bytes] = []
        self._lines: list[str] = [""]
        self._silent = 0
        self._preformatted = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self._take_picture(dict(attributes))
        if tag in _SILENT:
            self._silent += 1
        elif tag in _BLOCKS:
            self._break()
        elif tag in _CELLS and self._lines[-1]:
            self._lines[-1] += "  "
        if tag == "li":
            self._lines[-1] += "- "
        self._preformatted += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in _BLOCKS:
            self._break()
        if tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        if self._preformatted:
            first, *others = data.split("\n")
            self._lines[-1] += first
            self._lines.extend(others)
            return
        words = " ".join(data.split())
        if not words:
            words = " " if data and self._lines[-1] else ""
        else:
            words = " " * data[0].isspace() + words + " " * data[-1].isspace()
        if words.startswith(" ") and (not self._lines[-1] or self._lines[-1].endswith(" ")):
            words = words[1:]
        self._lines[-1] += words

    def _take_picture(self, attributes: dict[str, str | None]) -> None:
        picture = _decoded(attributes.get("src") or "")
        if picture is not None:
            self.pictures.append(picture)
        elif alternative := attributes.get("alt"):
            self.handle_data(alternative)

    def _break(self) -> None:
        if self._lines[-1].strip():
            self._lines.append("")

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines).strip("\n")
