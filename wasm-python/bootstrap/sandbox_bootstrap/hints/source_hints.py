"""Hints for syntax errors whose cause is hard to see, such as characters that look alike."""

import unicodedata

from ..host import report

# What is meant by characters that word processors, chats and Chinese input methods insert.
_MEANT = {
    "\u00a0": "a space", "\u200b": "nothing", "\u200c": "nothing", "\u200d": "nothing",
    "\u2060": "nothing", "\ufeff": "nothing", "\u202f": "a space", "\u3000": "a space",
    "\u2009": "a space",
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "`": "'",
    "–": "-", "—": "-", "−": "-", "×": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "…": "...",
    "，": ",", "。": ".", "：": ":", "；": ";", "（": "(", "）": ")", "【": "[", "】": "]",
    "！": "!", "＝": "=",
}  # fmt: skip
_LINES_NAMED = 5


def hint(text: str, error: SyntaxError) -> None:
    """Note what may have caused `error`, if there is a sign of it."""
    message = error.msg or ""
    if message.startswith(("invalid character", "invalid non-printable character")):
        _hint_character(text, error)
    elif "&lt;" in text or "&gt;" in text or "&quot;" in text or "&amp;" in text:
        report.note(
            "the code holds HTML escapes such as &lt; or &quot;: send the characters themselves"
        )
    elif "\n" not in text.strip() and "\\n" in text and "line continuation" in message:
        report.note(
            "the code holds \\n where line breaks were meant: it was escaped once too often"
        )


def _hint_character(text: str, error: SyntaxError) -> None:
    if not error.lineno or not error.offset:
        return
    lines = text.split("\n")
    character = lines[error.lineno - 1][error.offset - 1 : error.offset]
    if not character:
        return
    name = unicodedata.name(character, "unnamed").lower()
    numbers = [str(number) for number, line in enumerate(lines, 1) if character in line]
    more = " and more" if len(numbers) > _LINES_NAMED else ""
    where = ", ".join(numbers[:_LINES_NAMED]) + more
    meant = f"; write {_MEANT[character]} instead" if character in _MEANT else ""
    plural = "s" if len(numbers) > 1 else ""
    code_point = f"U+{ord(character):04X} ({name})"
    report.note(f"line{plural} {where}: {code_point} is not valid in Python code{meant}")
