"""The calls of a session in one child, one after the other, until the host hangs up.

A call arrives as four bytes of length and the request. Its exit code goes back in four bytes when
everything that it printed is written.
"""

import contextlib
import os

from ..host import deadline
from ..job import streams
from ..job.run import run_request
from .control import BROKEN_BOOTSTRAP


def serve(channel: int, first: bytes) -> int:
    """Run the call `first` and those that arrive on `channel`; returns the process's exit code."""
    request: bytes | None = first
    while request is not None:
        try:
            code = run_request(request)
        except BaseException:  # the deadline struck in the very last step
            code = BROKEN_BOOTSTRAP
        deadline.disarm()
        with contextlib.suppress(BaseException):
            streams.flush()
        os.write(channel, (code & 0xFF).to_bytes(4, "little"))
        request = _receive(channel)
    return 0


def _receive(channel: int) -> bytes | None:
    head = _read(channel, 4)
    return None if head is None else _read(channel, int.from_bytes(head, "little"))


def _read(channel: int, size: int) -> bytes | None:
    """Exactly `size` bytes; None when the host has gone."""
    parts = []
    while size:
        part = os.read(channel, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
