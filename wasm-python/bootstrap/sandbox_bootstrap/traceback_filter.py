"""Tracebacks as `python main.py` would print them: without this package's frames.

Python prints every traceback (uncaught, chained, of threads, from `traceback` and `logging`) through a few generators
of the module `traceback`; they are replaced by ones that pass over our frames.  Warnings that point beyond the job's
module level are likewise told as Python tells them.
"""

import sys
import traceback
import warnings

from . import report

_OURS = __file__.rpartition("/")[0] + "/"
_ENDS = 1000  # entries at either end of a traceback that are worth formatting, which takes 0.1 ms for each

job_codes: list = []  # the code objects of the job's module level: a traceback starts there


def install() -> None:
    """Make the module `traceback` pass over our frames from now on."""
    if traceback.walk_tb is not _walk_tb:
        traceback._walk_tb_with_full_positions = _walk_tb_with_positions
        traceback.walk_tb = _walk_tb
        traceback.walk_stack = _walk_stack
        _format_warning.real = warnings._formatwarnmsg_impl
        warnings._formatwarnmsg_impl = _format_warning


def is_ours(code) -> bool:
    """Whether a code object belongs to this package."""
    return code.co_filename.startswith(_OURS)


def visible(tb) -> list:
    """The entries of a traceback that the job's author should see; of very many the first and the last."""
    entries = []
    outside = True
    while tb is not None:
        code = tb.tb_frame.f_code
        if outside and code in job_codes:
            entries.clear()  # what led here is ours (and asyncio's, at a top-level await)
            outside = False  # an exception raised again has been in this frame before
        if not is_ours(code):
            entries.append(tb)
        tb = tb.tb_next
    left_out = len(entries) - 2 * _ENDS
    if left_out > 0:
        del entries[_ENDS:-_ENDS]
        report.note(f"of this traceback {left_out} entries in the middle are neither shown nor counted")
    return entries


def format_stack(frame, limit: int) -> str:
    """Where `frame` stands, innermost last, as Python prints it; "" outside of the job's code."""
    innermost_first = list(_walk_stack(frame))
    if not any(frame.f_code in job_codes for frame, _ in innermost_first):
        return ""
    summary = traceback.StackSummary.extract(reversed(innermost_first[:limit]))
    return "".join(summary.format()).strip()


def _walk_tb(tb):
    for entry in visible(tb):
        yield entry.tb_frame, entry.tb_lineno


def _walk_tb_with_positions(tb):
    for entry in visible(tb):
        code = entry.tb_frame.f_code
        positions = traceback._get_code_position(code, entry.tb_lasti)
        if positions[0] is None:
            positions = (entry.tb_lineno, *positions[1:])
        yield entry.tb_frame, positions


def _walk_stack(frame):
    """From `frame` outwards to the job's module level."""
    if frame is None:
        frame = sys._getframe(1)
        while frame.f_globals is vars(traceback):
            frame = frame.f_back
    while frame is not None:
        if not is_ours(frame.f_code):
            yield frame, frame.f_lineno
        if frame.f_code in job_codes:
            return
        frame = frame.f_back


def _format_warning(message):
    """Where a warning's stack level leaves the script, Python names `<sys>`."""
    if message.filename.startswith(_OURS):
        message.filename, message.lineno, message.line = "<sys>", 0, ""
    return _format_warning.real(message)
