"""Text in figures: fonts for characters that the chosen font lacks, and each complaint said once.

Matplotlib tells which glyphs it misses while it draws.  Only then installed fonts are searched for them; the fonts
found are appended to every choice from then on, and the figure is drawn again.
"""

import logging

from . import report

_SEARCHED_AT_MOST = 300
_NAMED_AT_MOST = 30
# Families known to cover whole scripts, the likely ones first; all others come after them.
_LIKELY = ("noto sans cjk", "source han sans", "wenquanyi", "droid sans fallback", "noto serif cjk", "simhei", "simsun",
           "microsoft yahei", "pingfang", "ar pl", "ipa", "takao", "vl gothic", "nanum", "malgun", "unifont",
           "noto sans", "freesans", "symbola", "noto")  # fmt: skip

_missing: set[int] = set()  # code points without a glyph in the last drawing
_hopeless: set[int] = set()  # that no installed font has
_extra: list = []  # paths of the fonts found
_choices: dict | None = None  # fonts by the hash of their properties, while a figure is drawn


def patch(font_manager) -> None:
    """Have missing glyphs collected and fonts that have them used."""
    from matplotlib import _text_helpers

    _text_helpers.warn_on_missing_glyph = _collect
    logging.getLogger("matplotlib.font_manager").addFilter(_OnlyOnce())
    manager_class = font_manager.FontManager
    real = manager_class._find_fonts_by_props

    def find_fonts(manager, prop, *args, **kwargs):
        key = hash(prop) if _choices is not None and not args and not kwargs else None
        if key is not None and key in _choices:
            return _choices[key]
        found = real(manager, prop, *args, **kwargs)
        if _extra:
            found = found + [path for path in _extra if path not in found]
        if key is not None:
            _choices[key] = found
        return found

    manager_class._find_fonts_by_props = find_fonts


class remembered_choices:
    """Within one drawing the same properties give the same fonts; matplotlib works that out per text and measure."""

    def __enter__(self):
        global _choices
        self._outer, _choices = _choices, {} if _choices is None else _choices

    def __exit__(self, *_exception):
        global _choices
        _choices = self._outer


def found_better() -> bool:
    """After a drawing: whether fonts were found that make drawing again worth while."""
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
            font = font_manager.get_font(path)
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
    """Say, once per job, which characters were drawn as boxes."""
    if _hopeless:
        characters = "".join(map(chr, sorted(_hopeless)[:_NAMED_AT_MOST])) + "…" * (len(_hopeless) > _NAMED_AT_MOST)
        report.note(f"no installed font has these characters of a figure, they are drawn as boxes: {characters}")


def _collect(codepoint: int, _fontnames: str) -> None:
    _missing.add(codepoint)


def _candidates(entries) -> list:
    """One entry per file: fonts likely to have many characters first, upright and of normal weight first."""

    def rank(entry):
        name = entry.name.lower()
        likely = next((place for place, part in enumerate(_LIKELY) if part in name), len(_LIKELY))
        return likely, entry.style != "normal", entry.weight not in (400, "normal", "regular", "book")

    files = {}
    for entry in sorted(entries, key=rank):
        if "lastresort" in entry.fname.lower():  # matplotlib's own: a picture of a box for every character
            continue
        files.setdefault((entry.fname, getattr(entry, "index", 0)), entry)
    return list(files.values())[:_SEARCHED_AT_MOST]


def _forget_layouts() -> None:
    """Sizes of texts were measured with the old fonts."""
    from matplotlib import text

    caches = getattr(text._get_text_metrics_function, "__defaults__", None) or ()
    for cache in caches:  # the default value of an argument holds them
        cache.clear()


class _OnlyOnce(logging.Filter):
    """Lets each message pass once."""

    def __init__(self):
        super().__init__()
        self._seen = set()

    def filter(self, record) -> bool:
        message = record.getMessage()
        is_new = message not in self._seen
        self._seen.add(message)
        return is_new
