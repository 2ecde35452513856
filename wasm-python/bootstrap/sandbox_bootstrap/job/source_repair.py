"""A second chance for code that does not compile: models wrap Python in various ways.

Every repair keeps the line numbers and adds a note. An error inside of the code itself stays one,
with a hint if its cause is hard to see (`source_hints`).
"""

import re
import textwrap
from collections.abc import Callable
from typing import Any

from ..host import report

_FENCE = re.compile(r"^\s*(```+|~~~+)\s*(\w*)\s*$")
_PYTHON = frozenset(
    {"", "python", "python3", "py", "py3", "ipython", "ipython3", "pycon", "jupyter"}
)
_MAGIC = re.compile(r"^(\s*)(?:\w+\s*=\s*)?(%%?|!!?)\s*([A-Za-z_./].*)$")
_OTHER_LANGUAGE = re.compile(
    r"^%%(bash|sh|script|html|svg|javascript|js|latex|markdown|perl|ruby|sql|writefile)\b"
)
_INSTALLER = re.compile(
    r"^(\s*)(?:pip3?|conda|uv|apt|apt-get|python3? -m pip)\s+(?:install|uninstall|pip|add)\b"
)
_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)")
_HELP = re.compile(r"^(\s*)(\?{1,2}[\w.]+|[\w.]+\?{1,2})\s*$")
_MAGICS_AT_MOST = 200

Parse = Callable[[str], Any]  # from text to a tree; raises SyntaxError
Attempt = tuple[str, SyntaxError, Any]  # text, error, tree; None as long as it does not compile


def repair(text: str, error: SyntaxError, parse: Parse) -> tuple[Any, str]:
    """The tree and text of `text` without its wrapping; raises the SyntaxError that remains."""
    notes: list[str] = []
    tree: Any = None
    for change in (_without_fences, _without_prompts, _dedented):
        if tree is None:
            text, error, tree = _attempt(text, error, parse, change, notes)
    lines = text.split("\n")
    for _ in range(_MAGICS_AT_MOST):
        if tree is not None or not _silence_magic(lines, error.lineno, notes):
            break
        text = "\n".join(lines)
        try:
            tree = parse(text)
        except SyntaxError as remaining:
            error = remaining
    for note in notes:
        report.note(note)
    if tree is not None:
        return tree, text
    from ..hints import source_hints  # only now: it needs the table of Unicode's names

    source_hints.hint(text, error)
    raise error.with_traceback(None) from None


def _attempt(
    text: str,
    error: SyntaxError,
    parse: Parse,
    change: Callable[[str], tuple[str, str]],
    notes: list[str],
) -> Attempt:
    """Apply one change, and parse again if it changed anything."""
    changed, note = change(text)
    if changed == text:
        return text, error, None
    notes.append(note)
    try:
        return changed, error, parse(changed)
    except SyntaxError as remaining:
        return changed, remaining, None


def _without_fences(text: str) -> tuple[str, str]:
    """Keep only the lines between Markdown fences of Python, each in its place."""
    lines = text.split("\n")
    kept = [""] * len(lines)
    fence = ""
    is_python = found = False
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if fence and match and match[1].startswith(fence) and not match[2]:
            fence = ""
        elif not fence and match:
            fence = match[1]
            is_python = match[2].lower() in _PYTHON
            found = found or is_python
        elif fence and is_python:
            kept[number] = line
    if not found:
        return text, ""
    return "\n".join(kept), "markdown fences around the code were ignored"


def _without_prompts(text: str) -> tuple[str, str]:
    """Keep only what was typed in the record of an interactive session."""
    lines = text.split("\n")
    if not next(filter(str.strip, lines), "").startswith(">>>"):
        return text, ""
    typed = [line[4:] if _PROMPT.match(line) else "" for line in lines]
    note = "the prompts of an interactive session, and its output, were removed"
    return "\n".join(typed), note


def _dedented(text: str) -> tuple[str, str]:
    note = "the code was indented as a whole; the indentation was removed"
    return textwrap.dedent(text), note


def _silence_magic(lines: list[str], number: int | None, notes: list[str]) -> bool:
    """Turn a notebook magic in line `number` into a no-op; False if there is none."""
    if number is None or not 0 < number <= len(lines):
        return False
    line = lines[number - 1]
    match = _MAGIC.match(line) or _HELP.match(line) or _INSTALLER.match(line)
    if match is None:
        return False
    lines[number - 1] = match[1] + "pass"
    reason = _reason(line.strip())
    if _OTHER_LANGUAGE.match(line):
        lines[number:] = [""] * (len(lines) - number)
        notes.append(f"line {number}: the `{line.split()[0]}` cell was ignored: {reason}")
        return True
    notes.append(f"line {number}: `{line.strip()}` was ignored: {reason}")
    return True


def _reason(line: str) -> str:
    line = re.sub(r"^\w+\s*=\s*(?=[!%])", "", line)
    words = line.lstrip("%! ").split()
    installs = words[:1] in (["pip"], ["pip3"], ["conda"], ["uv"])
    if installs or words[:3] == ["python", "-m", "pip"]:
        return "packages cannot be installed in a job; what is installed can be imported"
    if "matplotlib" in words[:1]:
        return "figures are shown anyway"
    if line.startswith("%%writefile"):
        return "write the file in Python: open(path, 'w').write(text)"
    if "!" in line[:1] or _OTHER_LANGUAGE.match(line):
        return "no shell commands here; use os, shutil or pathlib"
    return "notebook magics do not exist here"
