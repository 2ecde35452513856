"""The traceback of an exception as Python prints it, and so that the job cannot spoil it.

It is made by a copy of the module `traceback` that belongs to this package. Where that fails,
because modules that it needs are broken or the exception is in disguise, a plainer one is made.
"""

from collections.abc import Iterator
from types import FrameType
from typing import Any

from . import (
    deadline,
    exceptions,
    library_paths,
    own_builtins,
    reroute,
    source_lines,
    traceback_filter,
)

_NO_LIMIT = 1 << 30
_BEHIND_AT_MOST = 50  # exceptions behind another one, in a plain traceback
_IN_GROUP_AT_MOST = 15
_GROUPS_AT_MOST = 5

_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"
_HEAD = "Traceback (most recent call last):\n"


class _TextWrap:
    """What `traceback` takes from `textwrap`, which needs `re`."""

    @staticmethod
    def indent(text: str, prefix: str, _predicate: object = None) -> str:
        return "".join(prefix + line for line in text.splitlines(keepends=True))

    @staticmethod
    def dedent(text: str) -> str:
        lines = text.splitlines(keepends=True)
        margins = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
        low, high = min(margins, default=""), max(margins, default="")
        common = 0
        while common < len(low) and low[common] == high[common]:
            common += 1
        return "".join(line[common:] if line.strip() else "\n" for line in lines)


def _safe_string(value: Any, what: str, func: Any = str) -> str:
    if func is str and exceptions.is_a(value, BaseException):
        return exceptions.message(value)
    try:
        return exceptions.text(func(value))
    except Exception:
        return f"<{what} {func.__name__}() failed>"


def _own_library() -> Any:
    library = own_builtins.private_copy("traceback")
    library.linecache = source_lines
    library.textwrap = _TextWrap
    library._safe_string = _safe_string
    library._walk_tb_with_full_positions = traceback_filter.walk_tb_with_positions
    return library


_library: Any = _own_library()


def of(error: BaseException, carets: bool = True) -> str:
    """The traceback of an uncaught exception, with a line feed at its end."""
    try:
        made = _by_library(error, carets) if exceptions.is_plain(error) else plain(error)
    except (MemoryError, deadline.DeadlineReached, reroute.NeedsNative):
        raise
    except BaseException:  # the job removed or replaced modules that are imported here
        made = plain(error)
    return library_paths.shown(made)


def _by_library(error: BaseException, carets: bool) -> str:
    tb = None if is_about_the_source(error) else exceptions.traceback_of(error)
    made = _library.TracebackException(type(error), error, tb, limit=_NO_LIMIT, compact=True)
    if not carets:
        for frame in made.stack:
            frame.colno = None
    return "".join(made.format())


def is_about_the_source(error: BaseException) -> bool:
    """Whether the job's source did not compile: Python then prints no traceback header."""
    return not traceback_filter.visible(exceptions.traceback_of(error))


def of_stack(frame: FrameType | None, limit: int) -> str:
    """The stack at `frame`, innermost last, as Python prints it; "" outside of the job's code."""
    innermost_first = list(traceback_filter.walk_stack(frame))
    if not any(frame.f_code in traceback_filter.job_codes for frame, _ in innermost_first):
        return ""
    frames = reversed(innermost_first[:limit])
    try:
        stack = _library.StackSummary.extract(frames, limit=_NO_LIMIT)
        made = "".join(stack.format())
    except Exception:
        made = "".join(_entry(frame.f_code, line) for frame, line in innermost_first[limit::-1])
    return library_paths.shown(made).strip()


def plain(error: BaseException, told: str | None = None) -> str:
    """A traceback made without the library; `told` stands for the text of `error`, if given."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    link = ""
    while current is not None and id(current) not in seen and len(seen) < _BEHIND_AT_MOST:
        seen.add(id(current))
        text = told if told is not None and current is error else exceptions.message(current)
        parts.append(_one(current, text, _GROUPS_AT_MOST) + link)
        current, is_cause = exceptions.behind(current)
        link = _CAUSE if is_cause else _CONTEXT
    return "".join(reversed(parts))


def _one(error: BaseException, text: str, groups: int) -> str:
    entries = traceback_filter.visible(exceptions.traceback_of(error))
    lines = [_entry(entry.tb_frame.f_code, entry.tb_lineno) for entry in entries]
    last = exceptions.class_name(error) + (f": {text}" if text else "")
    made = f"{_HEAD if lines else ''}{''.join(lines)}{last}\n"
    return made + "".join(_in_group(error, groups))


def _in_group(error: BaseException, groups: int) -> Iterator[str]:
    if not exceptions.is_a(error, BaseExceptionGroup) or not groups:
        return
    members = BaseExceptionGroup.exceptions.__get__(error)
    for number, member in enumerate(members[:_IN_GROUP_AT_MOST], 1):
        yield f"  +-+-- {number} --\n"
        yield _TextWrap.indent(_one(member, exceptions.message(member), groups - 1), "    | ")


def _entry(code: Any, line: int) -> str:
    source = source_lines.getline(code.co_filename, line or 0).strip()
    place = f'  File "{code.co_filename}", line {line}, in {code.co_name}\n'
    return place + (f"    {source}\n" if source else "")
