"""Tracebacks as `python main.py` would print them: without this package's frames.

Python prints every traceback (uncaught, chained, of threads, from `traceback` and `logging`) with a
few functions of the module `traceback`. They are replaced by ones that skip our frames and shorten
paths. Warnings that point beyond the job's module level are shown the way Python shows them, too.
"""

import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from types import CodeType, FrameType, TracebackType
from typing import Any

from . import library_paths, report

_OURS = __file__.rsplit("/", 2)[0] + "/"  # the folder of the whole package
_ENDS = 1000  # entries shown at either end of a traceback; formatting one takes 0.1 ms

job_codes: list[CodeType] = []  # the code of the job's module level: a traceback starts there
# Where Python shows a warning whose stack level leaves the script.
_BEYOND = ("<sys>", 0) if sys.version_info >= (3, 13) else ("sys", 1)
_real_format_warning: Callable[[Any], str]


def install() -> None:
    """Make the module `traceback` skip our frames and shorten paths from now on."""
    global _real_format_warning
    library: Any = traceback
    if library.walk_tb is not _walk_tb:
        library_paths.install()
        library._walk_tb_with_full_positions = walk_tb_with_positions
        library.walk_tb = _walk_tb
        library.walk_stack = walk_stack
        stack, exception = library.StackSummary, library.TracebackException
        stack.format_frame_summary = _with_short_paths(stack.format_frame_summary)
        exception.format_exception_only = _each_with_short_paths(exception.format_exception_only)
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


def _walk_tb(tb: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    for entry in visible(tb):
        yield entry.tb_frame, entry.tb_lineno


def walk_tb_with_positions(tb: TracebackType | None) -> Iterator[tuple[FrameType, Any]]:
    """The visible frames of a traceback with line, end line, column and end column."""
    for entry in visible(tb):
        positions = _positions(entry.tb_frame.f_code, entry.tb_lasti)
        if positions[0] is None:
            positions = (entry.tb_lineno, *positions[1:])
        yield entry.tb_frame, positions


def _positions(code: CodeType, instruction: int) -> tuple[int | None, ...]:
    if instruction < 0:
        return None, None, None, None
    return next(islice(code.co_positions(), instruction // 2, None))


def walk_stack(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    """From `frame` outwards to the job's module level, without our frames."""
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


def _with_short_paths(real: Callable[..., str]) -> Callable[..., str]:
    def format_frame_summary(self: Any, frame_summary: Any, **options: Any) -> str:
        return library_paths.shown(real(self, frame_summary, **options))

    return format_frame_summary


def _each_with_short_paths(real: Callable[..., Iterator[str]]) -> Callable[..., Iterator[str]]:
    def format_exception_only(self: Any, **options: Any) -> Iterator[str]:
        return map(library_paths.shown, real(self, **options))

    return format_exception_only


def _format_warning(message: Any) -> str:
    """As Python formats it."""
    if message.filename.startswith(_OURS):
        message.filename, message.lineno = _BEYOND
        message.line = ""
    return library_paths.shown(_real_format_warning(message))
