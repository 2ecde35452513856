"""How a job ended: from the exception that left its code to the report's keys."""

import sys
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

from . import deadline, report, reroute, traceback_filter
from .report import Ending, PythonError

MESSAGE_LIMIT = 10_000
TRACEBACK_LIMIT = 200_000
INTERRUPT_CODE = 130  # as a shell reports SIGINT
FRAMES_AT_DEADLINE = 8

# Freed when memory has run out: reporting needs some.
_reserve = [bytes(256 * 1024)]


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """`error`, the one that it came from, and so on, each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def of(error: BaseException | None) -> Ending:
    """The report's keys for a job whose code ended with `error` (None: it ran to its end)."""
    try:
        return _of(error)
    except MemoryError:
        _reserve.clear()
        return _without_memory(error)


def _of(error: BaseException | None) -> Ending:
    if error is None:
        return {"exit": "ok", "code": 0}
    if isinstance(error, reroute.NeedsNative):
        return reroute.ending(error.module, error.how)
    if isinstance(error, deadline.DeadlineReached):
        return {"exit": "deadline", "code": report.DEADLINE_CODE}
    if isinstance(error, SystemExit):
        return {"exit": "exit", "code": _exit_code(error.code)}
    has_own_hook = sys.excepthook is not sys.__excepthook__
    text = _run_excepthook(error) if has_own_hook else traceback_text(error)
    code = INTERRUPT_CODE if isinstance(error, KeyboardInterrupt) else report.EXCEPTION_CODE
    return {"exit": "exception", "code": code, "error": _describe(error, text)}


def report_deadline(frame: FrameType | None) -> None:
    """Report that the deadline struck, and where the job was."""
    where = traceback_filter.format_stack(frame, limit=FRAMES_AT_DEADLINE)
    report.send({"exit": "deadline", "code": report.DEADLINE_CODE, "where": where})


def _describe(error: BaseException, text: str) -> PythonError:
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    return {"type": name, "message": shortened(_message(error), MESSAGE_LIMIT), "traceback": text}


def traceback_text(error: BaseException, carets: bool = True) -> str:
    """The traceback as the interpreter prints it for an uncaught exception."""
    tb = None if _is_about_the_source(error) else error.__traceback__
    limit: Any = traceback.BUILTIN_EXCEPTION_LIMIT  # type: ignore[attr-defined]
    try:
        shown = traceback.TracebackException(type(error), error, tb, limit=limit, compact=True)
        if not carets:
            for frame in shown.stack:
                frame.colno = None
        text = "".join(shown.format())
    except MemoryError:
        raise
    except Exception:  # the job removed or replaced modules that the library imports here
        text = _plain_traceback(error)
    return shortened(text, TRACEBACK_LIMIT)


def _plain_traceback(error: BaseException) -> str:
    """A traceback made without help from the standard library."""
    lines = []
    for entry in traceback_filter.visible(error.__traceback__):
        code = entry.tb_frame.f_code
        lines.append(f'  File "{code.co_filename}", line {entry.tb_lineno}, in {code.co_name}\n')
    head = "Traceback (most recent call last):\n" if lines else ""
    return f"{head}{''.join(lines)}{type(error).__name__}: {_message(error)}\n"


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return "<exception str() failed>"


def print_unraisable(unraisable: "sys.UnraisableHookArgs", /) -> None:
    """sys.unraisablehook: Python's own finds no source lines, since the script is in no file."""
    error = unraisable.exc_value
    if sys.stderr is None or isinstance(error, (deadline.DeadlineReached, reroute.NeedsNative)):
        return
    message = unraisable.err_msg or "Exception ignored in"
    about = f"{message}:" if unraisable.object is None else f"{message}: {unraisable.object!r}"
    text = "" if error is None else traceback_text(error, carets=False)
    sys.stderr.write(f"{about}\n{text}")


def _is_about_the_source(error: BaseException) -> bool:
    """Whether the job's source did not compile: Python then prints no traceback header."""
    return not traceback_filter.visible(error.__traceback__)


def _run_excepthook(error: BaseException) -> str:
    """Let the job's own sys.excepthook print the error; its text is all that Python would show."""
    # The hook sees the traceback object itself, so our frames are cut off at its head.
    entries = traceback_filter.visible(error.__traceback__)
    tb = entries[0] if entries else None
    try:
        sys.excepthook(type(error), error.with_traceback(tb), tb)
        return ""
    except (deadline.DeadlineReached, reroute.NeedsNative):
        raise
    except BaseException as hook_error:
        hook_error.__context__ = None
        in_hook, original = traceback_text(hook_error), traceback_text(error)
        return f"Error in sys.excepthook:\n{in_hook}\nOriginal exception was:\n{original}"


def _exit_code(code: object) -> int:
    """The status of `sys.exit(code)`; an object that is no number is printed, as Python does."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(2**63) <= code < 2**63 else 0xFF
    try:
        print(code, file=sys.stderr)
    except Exception:  # a broken __str__, or no stderr left
        return 1
    return 1


def _without_memory(error: BaseException | None) -> Ending:
    """An ending when formatting the traceback ran out of memory: drop the frames' data, retry."""
    if error is None:
        return last_words(MemoryError())
    tb = error.__traceback__
    line = 0
    for entry in traceback_filter.visible(tb):
        line = entry.tb_lineno
    traceback.clear_frames(tb)
    try:
        return _of(error)
    except MemoryError:
        ending = last_words(error)
        head = f'Traceback (most recent call last):\n  File "main.py", line {line}\n'
        ending["error"]["traceback"] = head + ending["error"]["traceback"]
        return ending


def last_words(error: BaseException) -> Ending:
    """The ending when the proper one could not be worked out."""
    name = type(error).__name__
    described: PythonError = {"type": name, "message": "", "traceback": f"{name}\n"}
    return {"exit": "exception", "code": 1, "error": described}


def shortened(text: str, limit: int) -> str:
    """`text` itself, or its head and tail when it is longer than `limit`."""
    if len(text) <= limit:
        return text
    half = limit // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n… [{left_out} characters left out] …\n{text[-half:]}"
