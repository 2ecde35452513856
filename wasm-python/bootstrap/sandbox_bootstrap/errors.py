"""How a job ended: from the exception that left its code to the report's keys."""

import sys
import traceback

from . import deadline, report, traceback_filter

MESSAGE_LIMIT = 10_000
TRACEBACK_LIMIT = 200_000
INTERRUPT_CODE = 130  # as a shell reports SIGINT

# Given back when memory has run out: reporting needs some.
_reserve = [bytes(256 * 1024)]


class NeedsNative(BaseException):
    """Raised in the guest to give the job up here and have it run natively; not for job code to catch."""

    def __init__(self, module: str, how: str):
        super().__init__(module, how)
        self.module = module
        self.how = how


def causes(error: BaseException | None):
    """`error`, the one that it came from, and so on, each once."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def ending_of(error: BaseException | None) -> dict:
    """The report's keys for a job whose code ended with `error` (None: it ran to its end)."""
    try:
        return _ending_of(error)
    except MemoryError:
        _reserve.clear()
        return _ending_without_memory(error)


def _ending_of(error: BaseException | None) -> dict:
    if error is None:
        return {"exit": "ok", "code": 0}
    if isinstance(error, NeedsNative):
        return {"exit": "needs_native", "code": report.EXCEPTION_CODE, "module": error.module, "how": error.how}
    if isinstance(error, deadline.DeadlineReached):
        return {"exit": "deadline", "code": report.DEADLINE_CODE}
    if isinstance(error, SystemExit):
        return {"exit": "exit", "code": _exit_code(error.code)}
    has_own_hook = sys.excepthook is not sys.__excepthook__
    text = _run_excepthook(error) if has_own_hook else traceback_text(error)
    code = INTERRUPT_CODE if isinstance(error, KeyboardInterrupt) else report.EXCEPTION_CODE
    return {"exit": "exception", "code": code, "error": _describe(error, text)}


def _describe(error: BaseException, text: str) -> dict:
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    return {"type": name, "message": shortened(_message(error), MESSAGE_LIMIT), "traceback": text}


def traceback_text(error: BaseException, carets: bool = True) -> str:
    """The traceback as the interpreter prints it for an uncaught exception."""
    tb = None if _is_about_the_source(error) else error.__traceback__
    try:
        shown = traceback.TracebackException(
            type(error), error, tb, limit=traceback.BUILTIN_EXCEPTION_LIMIT, compact=True
        )
        if not carets:
            for frame in shown.stack:
                frame.colno = None
        text = "".join(shown.format())
    except MemoryError:
        raise
    except Exception:  # the job has taken away or hidden modules that the library imports here
        text = _plain_traceback(error)
    return shortened(text, TRACEBACK_LIMIT)


def _plain_traceback(error: BaseException) -> str:
    """A traceback made without any help."""
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


def print_unraisable(unraisable, /) -> None:
    """sys.unraisablehook: as Python's own, which finds no source lines of a script that stands in no file."""
    if isinstance(unraisable.exc_value, (deadline.DeadlineReached, NeedsNative)) or sys.stderr is None:
        return
    message = unraisable.err_msg or "Exception ignored in"
    about = f"{message}: {unraisable.object!r}" if unraisable.object is not None else f"{message}:"
    sys.stderr.write(f"{about}\n{traceback_text(unraisable.exc_value, carets=False)}")


def _is_about_the_source(error: BaseException) -> bool:
    """Whether the job's source itself did not compile: Python then prints no traceback header."""
    return not traceback_filter.visible(error.__traceback__)


def _run_excepthook(error: BaseException) -> str:
    """Let the job's own sys.excepthook print the error; its text is all that Python would show."""
    # The hook sees the traceback object itself, so our frames are cut off at its head.
    entries = traceback_filter.visible(error.__traceback__)
    tb = entries[0] if entries else None
    try:
        sys.excepthook(type(error), error.with_traceback(tb), tb)
        return ""
    except (deadline.DeadlineReached, NeedsNative):
        raise
    except BaseException as hook_error:
        hook_error.__context__ = None
        return (
            "Error in sys.excepthook:\n" + traceback_text(hook_error)
            + "\nOriginal exception was:\n" + traceback_text(error)
        )  # fmt: skip


def _exit_code(code) -> int:
    """The status of `sys.exit(code)`; an object that is no number is printed, as Python does."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(2**63) <= code < 2**63 else 0xFF
    try:
        print(code, file=sys.stderr)
    except Exception:  # a broken __str__, or no stderr left
        pass
    return 1


def _ending_without_memory(error: BaseException) -> dict:
    """A plain ending for when even formatting the traceback failed: let the frames' data go, then try again."""
    tb = error.__traceback__
    line = 0
    for entry in traceback_filter.visible(tb):
        line = entry.tb_lineno
    traceback.clear_frames(tb)
    try:
        return _ending_of(error)
    except MemoryError:
        ending = last_words(error)
        head = f'Traceback (most recent call last):\n  File "main.py", line {line}\n'
        ending["error"]["traceback"] = head + ending["error"]["traceback"]
        return ending


def last_words(error: BaseException) -> dict:
    """The ending when working out the proper one failed."""
    name = type(error).__name__
    return {"exit": "exception", "code": 1, "error": {"type": name, "message": "", "traceback": f"{name}\n"}}


def shortened(text: str, limit: int) -> str:
    """`text` itself, or its head and tail when it is longer than `limit`."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… [{len(text) - 2 * half} characters left out] …\n{text[-half:]}"
