"""Who asks for a module: the job itself, or a library that may do without it."""

import dis
import sys
from types import CodeType, FrameType

from ..host import traceback_filter

JOB = "job"  # the job's own code, or a library that does not guard the import
GUARDED_LIBRARY = "guarded library"  # library code between `try` and `except`
QUESTION = "question"  # find_spec() and the like, asked by the job
NOT_AN_IMPORT = "not an import"  # the same, asked by a library: no need

_IMPORT_MACHINERY = "<frozen importlib"
_FROZEN_LIBRARY = "<frozen "  # os, posixpath, codecs and others that are built in


def of_import() -> str:
    """Classify the import that is looking for a module right now."""
    frame: FrameType | None = sys._getframe(1)
    importing = False
    while frame is not None and _is_machinery(frame.f_code):
        importing = importing or frame.f_code.co_name == "_find_and_load_unlocked"
        frame = frame.f_back
    if not importing:
        return QUESTION if frame is not None and not _is_library(frame.f_code) else NOT_AN_IMPORT
    # Text that is executed belongs to its caller: this is how sympy tries numpy.
    while frame is not None and (
        _is_library(frame.f_code) or frame.f_code.co_filename == "<string>"
    ):
        if _is_guarded(frame):
            return GUARDED_LIBRARY
        frame = frame.f_back
        while frame is not None and _is_machinery(frame.f_code):
            frame = frame.f_back
    return JOB


def is_raised_by_library(error: BaseException) -> bool:
    """Whether the innermost frame of an error belongs to an installed library."""
    entry = error.__traceback__
    if entry is None:
        return False
    while entry.tb_next is not None:
        entry = entry.tb_next
    return _is_library(entry.tb_frame.f_code)


def _is_machinery(code: CodeType) -> bool:
    filename = code.co_filename
    return (
        filename.startswith(_IMPORT_MACHINERY)
        or filename.endswith(("/importlib/__init__.py", "/importlib/util.py"))
        or traceback_filter.is_ours(code)
    )


def _is_library(code: CodeType) -> bool:
    """Whether code comes from an installed library, not from the job or its own files."""
    filename = code.co_filename
    if filename.startswith(_FROZEN_LIBRARY):
        return True
    installed = sys.path[1:]  # the first entry is the work directory
    return any(entry and filename.startswith(entry + "/") for entry in installed)


def _is_guarded(frame: FrameType) -> bool:
    """Whether an exception raised now would meet a handler in `frame`."""
    entries = dis._parse_exception_table(frame.f_code)  # type: ignore[attr-defined]
    return any(entry.start <= frame.f_lasti < entry.end for entry in entries)
