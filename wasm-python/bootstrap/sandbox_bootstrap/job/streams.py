"""The standard streams: nothing printed is lost, and no text can make printing fail."""

import builtins
import sys
from typing import Any

from ..host import own_builtins

_real_input = builtins.input


def settle() -> None:
    """Set up stdin, stdout and stderr for a job.

    Lone surrogates come out escaped instead of raising an error. Each line is written at once,
    because a job that the host stops for good cannot flush.
    """
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "reconfigure", None) is None:  # a session put an object of its own there
            continue
        text: Any = stream
        # In a snapshot they are set up already.
        if text.errors != "backslashreplace" or not text.line_buffering:
            text.reconfigure(
                encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=True
            )
    builtins.input = own_builtins.names["input"] = _input


def flush() -> None:
    """Write out what the job left in the streams, whatever it did to them."""
    for name in ("stdout", "__stdout__", "stderr", "__stderr__"):
        try:
            getattr(sys, name).flush()
        except Exception:  # closed, None, deleted, or an object of the job's own
            continue


def _input(prompt: object = "", /) -> str:
    try:
        return _real_input(prompt)
    except EOFError:
        if sys.stdin is not sys.__stdin__:
            raise
        raise EOFError(
            "EOF when reading a line (nobody can type here: write the value into the code)"
        ) from None


_input.__name__ = _input.__qualname__ = "input"
_input.__doc__ = _real_input.__doc__
