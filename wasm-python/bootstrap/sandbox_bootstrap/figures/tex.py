"""TeX without TeX: what LaTeX would set is put into the terms of matplotlib's own formulas.

`plain` takes a text that is meant for LaTeX, where formulas stand between dollars among commands.
`simpler` takes a text that matplotlib could not draw. Both give what it has a better chance with.
"""

import re
import unicodedata

_MATH = re.compile(r"(?<!\\)\$\$?(.*?)(?<!\\)\$\$?", re.DOTALL)
_DELIMITERS = (r"\(", r"\)", r"\[", r"\]", "$$")
_ENVIRONMENT = re.compile(r"\\begin\{(\w+\*?)\}(?:\{[lcr|]*\})?(.*?)\\end\{\1\}", re.DOTALL)
_FORMULAS = frozenset("align displaymath eqnarray equation gather math multline".split())
_BRACKETS = {
    "pmatrix": "()", "bmatrix": "[]", "vmatrix": "||", "Vmatrix": "‖‖", "matrix": "[]",
    "array": "[]", "smallmatrix": "[]", "aligned": "  ", "split": "  ", "Bmatrix": "{}",
}  # fmt: skip

# Commands that say how something looks and nothing else.
_SILENT = frozenset(
    """bf bfseries big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr boldmath centering
    displaystyle footnotesize hfill Huge huge it itshape LARGE Large large limits noindent nolimits
    nonumber normalsize notag rm rmfamily scriptscriptstyle scriptsize scriptstyle selectfont sf
    sffamily small textstyle tiny tt ttfamily !""".split()
)
# The same with arguments: how many are dropped, and how many are kept.
_STRIPPED = {
    "boxed": (0, 1), "cancel": (0, 1), "centerline": (0, 1), "color": (1, 0), "emph": (0, 1),
    "ensuremath": (0, 1), "fontfamily": (1, 0), "fontsize": (2, 0), "href": (1, 1),
    "hspace": (1, 0), "label": (1, 0), "mbox": (0, 1), "num": (0, 1), "overbrace": (0, 1),
    "phantom": (1, 0), "tag": (1, 0), "text": (0, 1), "textcolor": (1, 1), "textmd": (0, 1),
    "textnormal": (0, 1), "textrm": (0, 1), "textsc": (0, 1), "textsf": (0, 1),
    "texttt": (0, 1), "underbrace": (0, 1), "underline": (0, 1), "uppercase": (0, 1),
    "vspace": (1, 0),
}  # fmt: skip
_ONLY_IN_TEXT = frozenset(
    "emph href mbox text textmd textnormal textrm textsc textsf texttt".split()
)
_IN_MATH = {
    "bm": "boldsymbol", "cfrac": "frac", "coloneqq": ":=", "degree": "^\\circ ", "dotsb": "cdots",
    "dotsc": "ldots", "dotsm": "cdots", "dots": "ldots", "hbox": "text", "iff": "Leftrightarrow",
    "implies": "Rightarrow", "lbrace": "{", "lVert": "Vert", "lvert": "vert", "mathbbm": "mathbb",
    "mathds": "mathbb", "mbox": "text", "micro": "mu", "nicefrac": "frac", "pmb": "mathbf",
    "rbrace": "}", "rVert": "Vert", "rvert": "vert", "sfrac": "frac", "stackrel": "overset",
    "textbf": "mathbf", "textdegree": "^\\circ ", "textit": "mathit", "textnormal": "text",
    "textrm": "text", "textsf": "mathsf", "texttt": "mathtt", "tfrac": "frac",
}  # fmt: skip
_IN_TEXT = {
    "AA": "Å", "ae": "æ", "copyright": "©", "degree": "°", "dots": "…", "euro": "€",
    "LaTeX": "LaTeX", "ldots": "…", "micro": "µ", "newline": " ", "o": "ø", "par": " ",
    "quad": "  ", "S": "§", "ss": "ß", "TeX": "TeX", "textasciitilde": "~",
    "textbackslash": "\\", "textdegree": "°", "texteuro": "€", "textmu": "µ",
}  # fmt: skip
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303",
            "c": "\u0327", "v": "\u030c", "=": "\u0304", "r": "\u030a"}  # fmt: skip
_UNITS = {
    "ampere": "A", "celsius": "°C", "centi": "c", "degree": "°", "degreeCelsius": "°C",
    "giga": "G", "gram": "g", "hertz": "Hz", "hour": "h", "joule": "J", "kelvin": "K",
    "kilo": "k", "mega": "M", "meter": "m", "metre": "m", "micro": "µ", "milli": "m",
    "minute": "min", "mole": "mol", "nano": "n", "newton": "N", "ohm": "Ω", "pascal": "Pa",
    "per": "/", "percent": "%", "second": "s", "squared": "²", "volt": "V", "watt": "W",
}  # fmt: skip
_GROUP = r"\s*\{((?:[^{}]|\{[^{}]*\})*)\}"


def plain(text: str) -> str:
    """A text for LaTeX as one for matplotlib."""
    text = _with_units(_with_environments(text))
    for delimiter in _DELIMITERS:
        text = text.replace(delimiter, "$")
    parts = []
    end = 0
    for match in _MATH.finditer(text):
        parts += [_text(text[end : match.start()]), f"${_math(match[1])}$"]
        end = match.end()
    return "".join([*parts, _text(text[end:])])


def simpler(text: str) -> str:
    """A text with formulas, without what matplotlib does not know."""
    text = _with_units(_with_environments(text))
    return _MATH.sub(lambda match: f"${_math(match[1])}$", text)


def literally(text: str) -> str:
    """A text with formulas so that it is drawn as it is written."""
    return text.replace(r"\$", "$").replace("$", r"\$")


def _with_environments(text: str) -> str:
    """Matrices, cases and the like in one line."""

    def replaced(match: re.Match[str]) -> str:
        name, body = match[1].rstrip("*"), match[2].strip()
        if name == "document":
            return body
        rows = [row.strip() for row in body.split(r"\\") if row.strip()]
        if name in _FORMULAS:
            return "$" + r"\quad ".join(row.replace("&", "") for row in rows).strip("$") + "$"
        brackets = _BRACKETS.get(name, "  ")
        left, right = brackets[0], brackets[1]
        if name == "cases":
            left, right = r"\{", " "
        cells = [r",\ ".join(cell.strip() for cell in row.split("&")) for row in rows]
        return left + r";\ ".join(cells) + right

    for _ in range(3):  # they nest
        text = _ENVIRONMENT.sub(replaced, text)
    return text


def _with_units(text: str) -> str:
    """Quantities of siunitx."""

    def unit(match: re.Match[str]) -> str:
        names = re.findall(r"\\(\w+)|([^\\\s{}.]+)", match[1])
        return "".join(_UNITS.get(name, name) or other for name, other in names)

    text = re.sub(
        rf"\\(?:SI|qty){_GROUP}{_GROUP}",
        lambda match: f"{match[1]} " + unit(re.match("(.*)", match[2])),  # type: ignore[arg-type]
        text,
    )
    text = re.sub(rf"\\(?:si|unit){_GROUP}", unit, text)
    return re.sub(rf"\\ang{_GROUP}", r"\1°", text)


def _stripped(text: str, kept_commands: frozenset[str] = frozenset()) -> str:
    """Without the commands that only say how something looks."""
    for name, (dropped, kept) in _STRIPPED.items():
        if name not in kept_commands and "\\" + name in text:
            by = "".join(rf"\{dropped + n + 1}" for n in range(kept))
            for _ in range(3):
                text = re.sub(rf"\\{name}\*?(?![A-Za-z])" + _GROUP * (dropped + kept), by, text)
    return re.sub(
        r"\\([A-Za-z]+|!)\*?\s?", lambda match: "" if match[1] in _SILENT else match[0], text
    )


def _math(formula: str) -> str:
    formula = _stripped(formula, _ONLY_IN_TEXT)
    formula = re.sub(rf"\\x(right|left)arrow{_GROUP}", r"\\overset{\2}{\\\1arrow}", formula)
    formula = re.sub(r"\\([td]?frac)\s*(\w)\s*(\w)", r"\\\1{\2}{\3}", formula)
    formula = re.sub(r"(?<!\\)&", "", formula).replace(r"\\", r"\quad ")

    def renamed(match: re.Match[str]) -> str:
        name = _IN_MATH.get(match[1])
        if name is None:
            return match[0].rstrip("*")
        return "\\" + name if name.isalpha() or name in "{}" else name

    return re.sub(r"\\([A-Za-z]+)\*?", renamed, formula) if formula.strip() else r"\ "


def _text(text: str) -> str:
    text = re.sub(r"\\text(?:bf|it)\{([^{}]*)$", r"\1", text)  # a formula stands in it
    for command, style in (("textbf", "mathbf"), ("textit", "mathit")):
        words = re.compile(rf"\\{command}\{{([\w .,:-]*)\}}")
        while (match := words.search(text)) is not None:
            formula = f"$\\{style}{{{match[1].replace(' ', chr(92) + ' ')}}}$"
            text = text[: match.start()] + formula + text[match.end() :]
    formulas = _MATH.split(text)  # those just made stand at odd places
    formulas[::2] = map(_text_alone, formulas[::2])
    formulas[1::2] = [f"${formula}$" for formula in formulas[1::2]]
    return "".join(formulas)


def _text_alone(text: str) -> str:
    text = re.sub(r"\\text(bf|it){((?:[^{}]|\{[^{}]*\})*)}", r"\2", _stripped(text))
    text = re.sub(
        r"\\([\"'`^~=]|[cvr](?=\{))\{?(\w)\}?",
        lambda match: unicodedata.normalize("NFC", match[2] + _ACCENTS[match[1]]),
        text,
    )
    text = re.sub(r"\\\\(\[[^\]]*\])?", " ", text)
    text = re.sub(r"\\([A-Za-z]+)\*? ?", lambda match: _IN_TEXT.get(match[1], match[1]), text)
    text = re.sub(r"(?<!\\)[{}]", "", text).replace("---", "—").replace("--", "–")
    text = re.sub(r"(?<!\\)~", "\u00a0", text.replace("``", "“").replace("''", "”"))
    return re.sub(r"\\([%&_#{} ,;])", lambda match: match[1] if match[1] not in ",;" else " ", text)
