"""How a job ended: from the exception that left its code to the report's keys."""

import sys
from types import FrameType, TracebackType
from typing import Any

from . import (
    deadline,
    exceptions,
    library_paths,
    report,
    reroute,
    source_lines,
    traceback_filter,
    traceback_text,
)
from .exceptions import is_a
from .report import Ending, PythonError

MESSAGE_LIMIT = 10_000
TRACEBACK_LIMIT = 200_000
INTERRUPT_CODE = 130  # as a shell reports SIGINT
FRAMES_AT_DEADLINE = 8
_HEARD_AT_MOST = 100_000  # characters of what an excepthook prints

_code_of: Any = vars(SystemExit)["code"].__get__
_real_excepthook = sys.__excepthook__
# Freed when memory has run out: reporting needs some.
_reserve = [bytes(256 * 1024)]
# The exception whose text is being asked for: code of the job, which may never answer.
_asked: list[BaseException] = []


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
    if type(error) is reroute.NeedsNative:
        return reroute.ending(error.module, error.how)
    if is_a(error, deadline.DeadlineReached):
        return {"exit": "deadline", "code": report.DEADLINE_CODE}
    if is_a(error, SystemExit):
        code = _code_of(error)
        return {"exit": "exit", "code": _exit_code(code)}
    _asked[:] = [error]
    try:
        own_hook = getattr(sys, "excepthook", None) is not _real_excepthook
        text = _run_excepthook(error) if own_hook else traceback_text.of(error)
        described = _describe(error, text)
    finally:
        _asked.clear()
    code = INTERRUPT_CODE if is_a(error, KeyboardInterrupt) else report.EXCEPTION_CODE
    return {"exit": "exception", "code": code, "error": described}


def report_deadline(frame: FrameType | None) -> None:
    """Report that the deadline struck, and where the job was."""
    where = traceback_text.of_stack(frame, limit=FRAMES_AT_DEADLINE)
    if _asked:  # what the job had come to is more than where its `__str__` is
        where = traceback_text.plain(_asked[0], "<exception str() did not end>").strip()
    report.send({"exit": "deadline", "code": report.DEADLINE_CODE, "where": where})


def _describe(error: BaseException, text: str) -> PythonError:
    # Of a disguised exception the traceback has told already what there is to tell.
    message = exceptions.message(error) if exceptions.is_plain(error) else ""
    return {
        "type": exceptions.class_name(error),
        "message": shortened(library_paths.shown(message), MESSAGE_LIMIT),
        "traceback": shortened(text, TRACEBACK_LIMIT),
    }


def print_unraisable(unraisable: "sys.UnraisableHookArgs", /) -> None:
    """sys.unraisablehook: Python's own finds no source lines, since the script is in no file."""
    error = unraisable.exc_value
    if sys.stderr is None or isinstance(error, (deadline.DeadlineReached, reroute.NeedsNative)):
        return
    message = unraisable.err_msg or "Exception ignored in"
    about = f"{message}:" if unraisable.object is None else f"{message}: {unraisable.object!r}"
    text = "" if error is None else traceback_text.of(error, sys.version_info < (3, 13))
    sys.stderr.write(f"{about}\n{text}")


def install_hooks() -> None:
    """Print what nobody catches as `python main.py` would, although the script is in no file."""
    sys.unraisablehook = print_unraisable
    if sys.version_info < (3, 13):  # later ones print by the module `traceback`
        import threading

        threading.excepthook = _print_of_thread


def _print_of_thread(thrown: Any, /) -> None:
    """As Python's threading.excepthook."""
    error = thrown.exc_value
    if sys.stderr is None or error is None or is_a(error, SystemExit):
        return
    name = getattr(thrown.thread, "name", "of no name")
    sys.stderr.write(f"Exception in thread {name}:\n{traceback_text.of(error)}")


def _run_excepthook(error: BaseException) -> str:
    """Let the job's own sys.excepthook print the error; returns what is still to be shown.

    That is the traceback, unless the hook has told the exception and its line.
    """
    # The hook sees the traceback object itself, so our frames are cut off at its head.
    entries = traceback_filter.visible(exceptions.traceback_of(error))
    tb = entries[0] if entries else None
    heard = [_Heard(getattr(sys, name, None)) for name in ("stdout", "stderr")]
    sys.stdout, sys.stderr = heard
    try:
        sys.excepthook(type(error), BaseException.with_traceback(error, tb), tb)
    except (deadline.DeadlineReached, reroute.NeedsNative):
        raise
    except BaseException as hook_error:
        hook_error.__context__ = None
        in_hook, original = traceback_text.of(hook_error), traceback_text.of(error)
        return f"Error in sys.excepthook:\n{in_hook}\nOriginal exception was:\n{original}"
    finally:
        sys.stdout, sys.stderr = (stream.real for stream in heard)
    told = "".join(stream.text for stream in heard)
    return "" if _tells(told, error, entries) else traceback_text.of(error)


def _tells(text: str, error: BaseException, entries: list[TracebackType]) -> bool:
    """Whether `text` names the exception and the line of the job that was running."""
    name = exceptions.class_name(error).rpartition(".")[2]
    words = "".join(c if c.isalnum() else " " for c in text).split()
    lines = [
        entry.tb_lineno
        for entry in entries
        if source_lines.is_of_the_job(entry.tb_frame.f_code.co_filename)
    ]
    return name in text and (not lines or str(lines[-1]) in words)


class _Heard:
    """A stream that remembers what goes through it."""

    def __init__(self, real: Any) -> None:
        self.real = real
        self.text = ""

    def write(self, text: str) -> Any:
        if isinstance(text, str) and len(self.text) < _HEARD_AT_MOST:
            self.text += text[:_HEARD_AT_MOST]
        return self.real.write(text) if self.real is not None else len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


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
    entries = traceback_filter.visible(exceptions.traceback_of(error))
    line = entries[-1].tb_lineno if entries else 0
    for entry in entries:
        try:
            entry.tb_frame.clear()
        except RuntimeError:  # it still runs
            continue
    try:
        return _of(error)
    except MemoryError:
        ending = last_words(error)
        head = f'Traceback (most recent call last):\n  File "main.py", line {line}\n'
        ending["error"]["traceback"] = head + ending["error"]["traceback"]
        return ending


def last_words(error: BaseException) -> Ending:
    """The ending when the proper one could not be worked out."""
    name, message = exceptions.class_name(error), ""
    try:
        message = shortened(exceptions.message(error), MESSAGE_LIMIT)
        text = traceback_text.plain(error, message)
    except BaseException:
        text = f"{name}: {message}\n"
    described: PythonError = {"type": name, "message": message, "traceback": text}
    return {"exit": "exception", "code": 1, "error": described}


def shortened(text: str, limit: int) -> str:
    """`text` itself, or its head and tail when it is longer than `limit`."""
    if len(text) <= limit:
        return text
    half = limit // 2
    left_out = len(text) - 2 * half
    plural = "s" * (left_out != 1)
    return f"{text[:half]}\n… [{left_out} character{plural} left out] …\n{text[-half:]}"
