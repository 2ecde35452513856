"""PIL: the fonts that come along, where a program names one that is not here or names none."""

import os
from functools import update_wrapper
from typing import Any

_LATIN = 0x24F  # the last character that PIL's own font may have
_ASIA = ((0x1100, 0x11FF), (0x2E80, 0xA4CF), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0xFE30, 0xFFEF))
_ASIA_BEYOND = (0x20000, 0x3FFFF)
_PICTURES = ((0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF))


def patch(module: Any) -> None:
    """Let `truetype` know the names of other systems' fonts, and the default font all scripts."""
    real_truetype, real_default = module.truetype, module.load_default

    def truetype(font: Any = None, *args: Any, **kwargs: Any) -> Any:
        try:
            return real_truetype(font, *args, **kwargs)
        except OSError:
            path = _nearest(font)
            if path is None:
                raise
            return real_truetype(path, *_first_face(args), **_first_face_of(kwargs))

    class DefaultFont(module.FreeTypeFont):  # type: ignore[misc]  # a class of PIL
        """PIL's default, or for characters that it lacks a font that has them."""

        def _that_has(self, text: Any) -> Any:
            from ..figures import shipped_fonts

            family = _family_for(text) if isinstance(text, str) else None
            path = shipped_fonts.file_of(family) if family else None
            return real_truetype(path, self.size) if path else None

        def getmask2(self, text: Any, *args: Any, **kwargs: Any) -> Any:
            font = self._that_has(text)
            return (font.getmask2 if font else super().getmask2)(text, *args, **kwargs)

        def getbbox(self, text: Any, *args: Any, **kwargs: Any) -> Any:
            font = self._that_has(text)
            return (font.getbbox if font else super().getbbox)(text, *args, **kwargs)

        def getlength(self, text: Any, *args: Any, **kwargs: Any) -> Any:
            font = self._that_has(text)
            return (font.getlength if font else super().getlength)(text, *args, **kwargs)

    DefaultFont.__name__ = DefaultFont.__qualname__ = "FreeTypeFont"

    def load_default(*args: Any, **kwargs: Any) -> Any:
        font = real_default(*args, **kwargs)
        if type(font) is module.FreeTypeFont:
            font.__class__ = DefaultFont
        return font

    module.truetype = update_wrapper(truetype, real_truetype)
    module.load_default = update_wrapper(load_default, real_default)


def _nearest(font: Any) -> str | None:
    """The shipped file for a font file's name, from whatever system its path is."""
    from ..figures import shipped_fonts

    if not isinstance(font, (str, bytes, os.PathLike)):
        return None
    path = os.fsdecode(font)
    if os.path.exists(path):  # it is there, and broken
        return None
    name = path.replace("\\", "/").rpartition("/")[2]
    stem = os.path.splitext(name)[0]
    family = shipped_fonts.nearest(stem)
    return shipped_fonts.file_of(family) if family else None


def _first_face(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments after the font: size, and the number of a face of the font that is not here."""
    return (args[0], 0, *args[2:]) if len(args) > 1 else args


def _first_face_of(kwargs: dict[str, Any]) -> dict[str, Any]:
    return {key: 0 if key == "index" else value for key, value in kwargs.items()}


def _family_for(text: str) -> str | None:
    """The family that has most of the characters beyond Latin; None if there are none."""
    from ..figures import shipped_fonts

    counts = dict.fromkeys((shipped_fonts.CJK, shipped_fonts.EMOJI, shipped_fonts.SANS), 0)
    for point in map(ord, text):
        if point <= _LATIN:
            continue
        if _within(point, (*_ASIA, _ASIA_BEYOND)):
            counts[shipped_fonts.CJK] += 1
        elif _within(point, _PICTURES):
            counts[shipped_fonts.EMOJI] += 1
        else:
            counts[shipped_fonts.SANS] += 1
    family = max(counts, key=lambda family: counts[family])
    return family if counts[family] else None


def _within(point: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= point <= last for first, last in ranges)
