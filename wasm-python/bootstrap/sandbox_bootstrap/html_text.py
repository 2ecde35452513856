"""HTML as text: enough for what objects show of themselves (tables, headings, lists)."""

from html.parser import HTMLParser

_BLOCKS = frozenset("address article blockquote br caption dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr li main "
                    "ol p pre section summary table tbody tfoot thead tr ul".split())  # fmt: skip
_SILENT = frozenset({"script", "style", "head", "title", "template"})
_CELLS = frozenset({"td", "th"})


def to_text(html: str) -> str:
    """The readable text of `html`, a line per block; cells of a row are two spaces apart."""
    parser = _TextParser()
    parser.feed(html)
    parser.close()
    return parser.text()


class _TextParser(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = [""]
        self._silent = 0
        self._preformatted = 0

    def handle_starttag(self, tag, _attributes):
        if tag in _SILENT:
            self._silent += 1
        elif tag in _BLOCKS:
            self._break()
        elif tag in _CELLS and self._lines[-1]:
            self._lines[-1] += "  "
        if tag == "li":
            self._lines[-1] += "- "
        self._preformatted += tag == "pre"

    def handle_endtag(self, tag):
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag in _BLOCKS:
            self._break()
        if tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)

    def handle_data(self, data):
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

    def _break(self):
        if self._lines[-1].strip():
            self._lines.append("")

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._lines).strip("\n")
