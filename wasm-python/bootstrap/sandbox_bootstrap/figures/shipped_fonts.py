"""The fonts that come along: for the scripts that matplotlib's own lack, and for names of others.

They are files of two packages of the venv, and of matplotlib. A font that people name and that is
not here is drawn with the shipped one that comes nearest. Nothing keeps their files open.
"""

import functools
import importlib.util
import io
import mmap
import os
import sys
import threading
from collections.abc import Iterable
from typing import Any

CJK = "WenQuanYi Micro Hei"
EMOJI = "Noto Emoji"
SANS = "DejaVu Sans"
SERIF = "DejaVu Serif"
MONOSPACE = "DejaVu Sans Mono"

_NOTO = "manimgx_fonts"
_FILES = {
    CJK: "paperang_p2_fonts_cjk/fonts/wqy-microhei.ttc",
    EMOJI: f"{_NOTO}/NotoEmoji[wght].ttf",
    SANS: "matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf",
    SERIF: "matplotlib/mpl-data/fonts/ttf/DejaVuSerif.ttf",
    MONOSPACE: "matplotlib/mpl-data/fonts/ttf/DejaVuSansMono.ttf",
}
_SCRIPTS = (
    "", "Arabic", "Armenian", "Bengali", "Devanagari", "Ethiopic", "Georgian", "Gujarati",
    "Gurmukhi", "Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala",
    "Symbols", "Tamil", "Telugu", "Thai",
)  # fmt: skip
# How names of fonts begin, without case, spaces and punctuation, and what is drawn instead.
_NEAREST = (
    (EMOJI, ("applecoloremoji", "seguiemj", "segoeuiemoji", "notocoloremoji", "notoemoji",
             "twemoji", "twitteremoji", "emojione", "symbola")),
    (CJK, ("simhei", "simsun", "nsimsun", "simkai", "simfang", "kaiti", "fangsong", "stheiti",
           "stsong", "stkaiti", "stfangsong", "stxihei", "microsoftyahei", "microsoftjhenghei",
           "microsofthei", "msyh", "msjh", "mingliu", "pmingliu", "dengxian", "deng", "youyuan",
           "lisu", "heiti", "songti", "lantinghei", "pingfang", "hiragino", "notosanscjk",
           "notoserifcjk", "notosansmonocjk", "notosanssc", "notosanstc", "notosanshk",
           "notosansjp", "notosanskr", "notoserifsc", "notoseriftc", "notoserifjp",
           "notoserifkr", "sourcehan", "wenquanyi", "wqy", "droidsansfallback", "arplu",
           "uming", "ukai", "arialunicode", "arialuni", "unifont", "msgothic", "mspgothic",
           "msmincho", "mspmincho", "msuigothic", "meiryo", "yugothic", "yugoth", "yumincho",
           "ipaex", "ipag", "ipapgothic", "ipamincho", "ipa", "takao", "vlgothic", "vlpgothic",
           "mplus", "osaka", "kozuka", "malgun", "nanum", "gulim", "dotum", "batang", "gungsuh",
           "applegothic", "applesdgothic", "applemyungjo", "undotum", "unbatang", "baekmuk",
           "hancom", "hymyeongjo", "lxgw", "sarasa", "zenkai", "alibabapuhuiti",
           "harmonyossanssc", "misans", "heititc", "biaukai", "hanyi", "fzhei", "fzshu")),
    (MONOSPACE, ("courier", "cour", "consola", "menlo", "monaco", "lucidaconsole", "cascadia",
                 "firacode", "firamono", "jetbrainsmono", "sourcecodepro", "ubuntumono",
                 "liberationmono", "robotomono", "freemono", "notosansmono", "dejavusansmono",
                 "andalemono", "inconsolata", "ibmplexmono", "sfmono", "hack")),
    (SERIF, ("times", "georgia", "cambria", "garamond", "palatino", "bookantiqua", "bookman",
             "constantia", "century", "newcentury", "liberationserif", "freeserif", "notoserif",
             "sourceserif", "computermodern", "cmur10", "cmuserif", "latinmodern", "lmroman",
             "dejavuserif", "merriweather", "playfair", "charter", "minion", "utopia",
             "nimbusroman", "stixtwo", "baskerville", "didot", "rockwell")),
    (SANS, ("arial", "helvetica", "calibri", "verdana", "tahoma", "segoeui", "trebuchet",
            "geneva", "lucida", "roboto", "opensans", "lato", "inter", "montserrat", "poppins",
            "ubuntu", "cantarell", "freesans", "liberationsans", "nimbussans", "notosans",
            "sourcesans", "futura", "gillsans", "avenir", "optima", "candara", "corbel",
            "franklingothic", "centurygothic", "dinalternate", "impact", "raleway", "nunito",
            "oswald", "oxygen", "ptsans", "worksans", "ibmplexsans", "firasans", "sfpro",
            "sanfrancisco", "systemui", "dejavusans", "carlito", "microsoftsansserif",
            "bitstreamvera", "comic", "xkcd", "humorsans", "aptos")),
)  # fmt: skip

_lock = threading.Lock()


def nearest(name: str) -> str | None:
    """The family that stands for a font or a font's file called `name`; None if it is unknown."""
    plain = "".join(filter(str.isalnum, name.lower()))
    fits = [
        (len(part), family)
        for family, parts in _NEAREST
        for part in parts
        if plain.startswith(part)
    ]
    return max(fits)[1] if fits else None


def file_of(family: str) -> str | None:
    """The file of a shipped font; None if it was not installed."""
    path = os.path.join(_packages(), _FILES[family])
    return path if os.path.isfile(path) else None


@functools.lru_cache(1)
def _packages() -> str:
    spec = importlib.util.find_spec("matplotlib")
    return os.path.dirname(os.path.dirname((spec and spec.origin) or ""))


def bring_list(folder: str) -> None:
    """Put the list of fonts that was made with the venv where matplotlib looks for its own."""
    kept = os.path.join(sys.prefix, "share", "matplotlib-cache")
    for name in os.listdir(kept):  # a venv of somebody's own has none
        os.symlink(os.path.join(kept, name), os.path.join(folder, name))


def register(font_manager: Any) -> None:
    """Add the shipped fonts to matplotlib's list, which knows its own already."""
    folder = _packages()
    scripts = {
        f"Noto Sans {script}".rstrip(): f"{_NOTO}/NotoSans{script}[wght].ttf" for script in _SCRIPTS
    }
    files = {CJK: _FILES[CJK], EMOJI: _FILES[EMOJI], **scripts}
    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    for family, file in files.items():
        path = os.path.join(folder, file)
        if path in known or not os.path.isfile(path):
            continue
        for weight in (400, 700):  # one file is all weights: asking for bold is no mistake
            entry = font_manager.FontEntry(
                fname=path, index=0, name=family, style="normal", variant="normal", weight=weight,
                stretch="normal", size="scalable",
            )  # fmt: skip
            font_manager.fontManager.ttflist.append(entry)


def known_families(manager: Any, families: Iterable[str], unknown: set[str]) -> list[str]:
    """`families` with the nearest shipped ones in place of those that are not there.

    What nothing comes near to is left out, and added to `unknown`.
    """
    from matplotlib import font_manager

    there = _names(tuple(entry.name for entry in manager.ttflist))
    found: list[str] = []
    for family in families:
        names = [family]
        if family.lower() in font_manager.font_family_aliases:
            names = manager._expand_aliases(family.lower())
        if any(name.lower() in there for name in names):
            found.append(family)
            continue
        near = dict.fromkeys(filter(None, map(nearest, names)))
        found.extend(name for name in near if name.lower() in there)
        if not near:
            unknown.update(names)
    return found


@functools.lru_cache(1)
def _names(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(str.lower, names))


class _Font:
    """A font's file in memory, as FreeType reads it: no descriptor stays open."""

    def __init__(self, path: str) -> None:
        self.name = path
        self._at = 0
        with open(path, "rb") as file:
            self._data = _mapped(file)

    def read(self, count: int = -1) -> bytes:
        """As of a file."""
        start = self._at
        self._at = len(self._data) if count < 0 else min(start + count, len(self._data))
        return self._data[start : self._at]

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """As of a file."""
        self._at = offset + (0, self._at, len(self._data))[whence]
        return self._at

    def tell(self) -> int:
        """As of a file."""
        return self._at

    def close(self) -> None:
        """Nothing: the memory goes with the object."""


def _mapped(file: Any) -> Any:
    """Its content, without a descriptor; Python before 3.13 keeps one of what it maps."""
    if sys.version_info < (3, 13):
        return file.read()
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ, trackfd=False)


class _Ft2font:
    """matplotlib's module `ft2font`, whose fonts are read from memory."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def FT2Font(self, filename: Any, *args: Any, **kwargs: Any) -> Any:
        """As the class. It opens a path with `io.open`, and knows the font by the file's name."""
        if not isinstance(filename, (str, os.PathLike)):
            return self._module.FT2Font(filename, *args, **kwargs)
        path = os.fspath(filename)
        with _lock:
            real = io.open

            def open_font(file: Any, *args: Any, **kwargs: Any) -> Any:
                is_it = file == path and args == ("rb",)
                return _Font(path) if is_it else real(file, *args, **kwargs)

            io.open = open_font
            try:
                return self._module.FT2Font(filename, *args, **kwargs)
            finally:
                io.open = real


def keep_no_files_open(font_manager: Any) -> None:
    """Have matplotlib read its fonts from memory: each text may need many."""
    font_manager.ft2font = _Ft2font(font_manager.ft2font)
