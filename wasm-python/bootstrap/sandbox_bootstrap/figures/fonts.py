"""Text in figures: fonts for characters that the chosen font lacks, and each complaint only once.

Matplotlib says which glyphs are missing while it draws. Only then are fonts searched for them: the
installed ones, and those that come along. The fonts found are appended to every later choice, and
the figure is drawn again.
"""

import logging
from collections.abc import Iterable
from functools import update_wrapper
from typing import Any

from ..host import report
from . import shipped_fonts

_SEARCHED_AT_MOST = 300
_NAMED_AT_MOST = 30
# Families known to cover whole scripts, the likely ones first; all others come after them.
_LIKELY = (
    "noto sans cjk", "source han sans", "wenquanyi", "droid sans fallback", "noto serif cjk",
    "simhei", "simsun", "microsoft yahei", "pingfang", "ar pl", "ipa", "takao", "vl gothic",
    "nanum", "malgun", "unifont", "noto sans", "freesans", "symbola", "noto",
)  # fmt: skip

_missing: set[int] = set()  # code points without a glyph in the last drawing
_hopeless: set[int] = set()  # code points that no installed font has
_unknown: set[str] = set()  # families that were asked for, and that nothing comes near to
_extra: list[Any] = []  # paths of the fonts found
_choices: dict[int, Any] | None = None  # fonts by the hash of their properties, during a drawing


def patch(font_manager: Any) -> None:
    """Collect missing glyphs, and use fonts that have them; know the fonts that people name."""
    from matplotlib import _text_helpers

    _text_helpers.warn_on_missing_glyph = _collect
    logging.getLogger("matplotlib.font_manager").addFilter(_OnlyOnce())
    shipped_fonts.keep_no_files_open(font_manager)
    shipped_fonts.register(font_manager)
    manager_class = font_manager.FontManager
    real = manager_class._find_fonts_by_props
    real_find = manager_class.findfont

    def find_font(manager: Any, prop: Any, fontext: str = "ttf", *args: Any, **kwargs: Any) -> Any:
        wanted = _known(manager, prop) if fontext == "ttf" else prop
        return real_find(manager, wanted, fontext, *args, **kwargs)

    def find_fonts(manager: Any, prop: Any, *args: Any, **kwargs: Any) -> Any:
        choices = _choices if not args and not kwargs else None
        key = hash(prop) if choices is not None else 0
        if choices is not None and key in choices:
            return choices[key]
        is_ttf = not args and kwargs.get("fontext", "ttf") == "ttf"
        found = real(manager, _known(manager, prop) if is_ttf else prop, *args, **kwargs)
        if _extra:
            found = found + [path for path in _extra if path not in found]
        if choices is not None:
            choices[key] = found
        return found

    manager_class._find_fonts_by_props = find_fonts
    manager_class.findfont = update_wrapper(find_font, real_find)
    font_manager.findfont = font_manager.fontManager.findfont  # it was bound to the real one


def _known(manager: Any, prop: Any) -> Any:
    """`prop` with families that are there."""
    from matplotlib import font_manager

    prop = font_manager.FontProperties._from_any(prop)
    if prop.get_file() is not None:
        return prop
    asked = list(prop.get_family())
    families = shipped_fonts.known_families(manager, asked, _unknown)
    if families == asked:
        return prop
    prop = prop.copy()
    prop.set_family(families or [shipped_fonts.SANS])
    return prop


class remembered_choices:
    """Within one drawing the same properties give the same fonts; matplotlib asks for each text."""

    def __enter__(self) -> None:
        global _choices
        self._outer, _choices = _choices, {} if _choices is None else _choices

    def __exit__(self, *_exception: object) -> None:
        global _choices
        _choices = self._outer


def found_better() -> bool:
    """After a drawing: whether fonts were found that make drawing again worthwhile."""
    wanted = _missing - _hopeless
    _missing.clear()
    if not wanted:
        return False
    from matplotlib import font_manager

    before = len(_extra)
    for entry in _candidates(font_manager.fontManager.ttflist):
        if not wanted:
            break
        try:
            path = font_manager.FontPath(entry.fname, getattr(entry, "index", 0))
            font = font_manager.ft2font.FT2Font(path.path, face_index=path.face_index)
            covered = {point for point in wanted if font.get_char_index(point)}
        except Exception:  # a broken font file
            continue
        if covered:
            _extra.append(path)
            wanted -= covered
    _hopeless.update(wanted)
    if len(_extra) == before:
        return False
    if _choices is not None:
        _choices.clear()
    _forget_layouts()
    return True


def note_missing() -> None:
    """Note, once per job, which characters were drawn as boxes, and which fonts are not there."""
    if _unknown:
        names = ", ".join(sorted(_unknown)[:_NAMED_AT_MOST])
        report.note(f"fonts that are not installed, others are drawn instead: {names}")
        _unknown.clear()
    if _hopeless:
        more = "…" * (len(_hopeless) > _NAMED_AT_MOST)
        characters = "".join(map(chr, sorted(_hopeless)[:_NAMED_AT_MOST])) + more
        report.note(
            "no installed font has these characters of a figure, "
            f"they are drawn as boxes: {characters}"
        )


def _collect(codepoint: int, _fontnames: str) -> None:
    _missing.add(codepoint)


def _candidates(entries: Iterable[Any]) -> list[Any]:
    """One entry per file: first the fonts likely to have many characters, upright and regular."""

    def rank(entry: Any) -> tuple[int, bool, bool]:
        name = entry.name.lower()
        place = next((place for place, part in enumerate(_LIKELY) if part in name), len(_LIKELY))
        is_regular = entry.weight in (400, "normal", "regular", "book")
        return place, entry.style != "normal", not is_regular

    files: dict[tuple[str, int], Any] = {}
    for entry in sorted(entries, key=rank):
        if "lastresort" in entry.fname.lower():  # matplotlib's own: a box for every character
            continue
        files.setdefault((entry.fname, getattr(entry, "index", 0)), entry)
    return list(files.values())[:_SEARCHED_AT_MOST]


def _forget_layouts() -> None:
    """Drop the sizes of texts, which were measured with the old fonts."""
    from matplotlib import text

    caches = getattr(text._get_text_metrics_function, "__defaults__", None) or ()
    for cache in caches:  # the default value of an argument holds them
        cache.clear()


class _OnlyOnce(logging.Filter):
    """Lets each message pass once."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        is_new = message not in self._seen
        self._seen.add(message)
        return is_new
