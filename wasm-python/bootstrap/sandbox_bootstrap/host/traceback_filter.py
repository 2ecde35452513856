"""Tracebacks as `python main.py` would print them: without this package's frames.

Python prints every traceback (uncaught, chained, of threads, from `traceback` and `logging`) with a
few generators of the module `traceback`. They are replaced by ones that skip our frames. Warnings
that point beyond the job's module level are shown the way Python shows them, too.
"""

import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

from . import report

_OURS = __file__.rsplit("/", 2)[0] + "/"  # the folder of the whole package
_ENDS = 1000  # entries shown at either end of a traceback; formatting one takes 0.1 ms

job_codes: list[CodeType] = []  # the code of the job's module level: a traceback starts there
_real_format_warning: Callable[[Any], str]


def install() -> None:
    """Make the module `traceback` skip our frames from now on."""
    global _real_format_warning
    library: Any = traceback
    if library.walk_tb is not _walk_tb:
        library._walk_tb_with_full_positions = _walk_tb_with_positions
        library.walk_tb = _walk_tb
        library.walk_stack = _walk_stack
        _real_format_warning = warnings._formatwarnmsg_impl  # type: ignore[attr-defined]
        warnings._formatwarnmsg_impl = _format_warning  # type: ignore[attr-defined]


def is_ours(code: CodeType) -> bool:
    """Whether a code object belongs to this package."""
    return code.co_filename.startswith(_OURS)


def visible(tb: TracebackType | None) -> list[TracebackType]:
    """The entries of a traceback for the job's author; of very many the first and the last."""
    entries: list[TracebackType] = []
    outside = True
    while tb is not None:
        code = tb.tb_frame.f_code
        if outside and code in job_codes:
            entries.clear()  # the frames up to here are ours (and asyncio's, at a top-level await)
            outside = False  # an exception that is raised again has been in this frame before
        if not is_ours(code):
            entries.append(tb)
        tb = tb.tb_next
    left_out = len(entries) - 2 * _ENDS
    if left_out > 0:
        del entries[_ENDS:-_ENDS]
        report.note(
            f"of this traceback {left_out} entries in the middle are neither shown nor counted"
        )
    return entries


def format_stack(frame: FrameType | None, limit: int) -> str:
    """The stack at `frame`, innermost last, as Python prints it; "" outside of the job's code."""
    innermost_first = list(_walk_stack(frame))
    if not any(frame.f_code in job_codes for frame, _ in innermost_first):
        return ""
    summary = traceback.StackSummary.extract(reversed(innermost_first[:limit]))
    return "".join(summary.format()).strip()


def _walk_tb(tb: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    for entry in visible(tb):
        yield entry.tb_frame, entry.tb_lineno


def _walk_tb_with_positions(tb: TracebackType | None) -> Iterator[tuple[FrameType, Any]]:
    for entry in visible(tb):
        code = entry.tb_frame.f_code
        positions = traceback._get_code_position(code, entry.tb_lasti)  # type: ignore[attr-defined]
        if positions[0] is None:
            positions = (entry.tb_lineno, *positions[1:])
        yield entry.tb_frame, positions


def _walk_stack(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    """From `frame` outwards to the job's module level."""
    if frame is None:
        frame = sys._getframe(1)
        while frame is not None and frame.f_globals is vars(traceback):
            frame = frame.f_back
    while frame is not None:
        if not is_ours(frame.f_code):
            yield frame, frame.f_lineno
        if frame.f_code in job_codes:
            return
        frame = frame.f_back


def _format_warning(message: Any) -> str:
    """As Python formats it: a warning whose stack level leaves the script is in `<sys>`."""
    if message.filename.startswith(_OURS):
        message.filename, message.lineno, message.line = "<sys>", 0, ""
    return _real_format_warning(message)
