"""Frames: how images and reports travel inside the job's stdout.

A message is base64 between a begin and an end marker that carry the job's nonce, cut into frames so that each one
reaches the host whole, whatever else writes to the same descriptor:

    [IMAGE_DATA_BEGIN:<nonce>:<id>:<more>]<base64>[IMAGE_DATA_END:<nonce>]
"""

import os
import sys
from _thread import RLock
from binascii import b2a_base64
from json import dumps

from . import deadline

IMAGE = "IMAGE_DATA"
REPORT = "JOB_REPORT"

PIPE_FRAME = 4096  # PIPE_BUF: a write up to this size is never mixed with another one
GUEST_FRAME = 1 << 20
PRIVATE_FD = 200  # out of the way of loops that close or write the low descriptors


class Channel:
    """The way out for one job's messages."""

    def __init__(self, nonce: str, write, max_frame: int):
        self._nonce = nonce
        self._write = write
        self._next_id = 1
        # Reentrant: the deadline's handler reports from the middle of whatever the main thread does.
        self._lock = RLock()
        overhead = len(self._frame(IMAGE, 10**9, 1, b""))
        self._chunk = (max_frame - overhead) // 4 * 4

    def send(self, kind: str, payload: bytes) -> None:
        """Write one message; what the job printed before it stays before it."""
        text = b2a_base64(payload, newline=False)
        deadline.shield()  # a message cut in two by the deadline would be lost
        try:
            with self._lock:
                flush_stdout()
                message_id = self._next_id
                self._next_id += 1
                for start in range(0, len(text) or 1, self._chunk):
                    more = int(start + self._chunk < len(text))
                    self._write(self._frame(kind, message_id, more, text[start : start + self._chunk]))
        finally:
            deadline.unshield()

    def _frame(self, kind: str, message_id: int, more: int, chunk: bytes) -> bytes:
        begin = f"[{kind}_BEGIN:{self._nonce}:{message_id}:{more}]"
        return begin.encode() + chunk + f"[{kind}_END:{self._nonce}]".encode()


_channel: Channel | None = None


def open_channel(nonce: str, runtime: str) -> None:
    """Start the job's channel; must come before the job can touch descriptor 1."""
    global _channel
    if runtime == "wasm":
        import _sandbox

        _channel = Channel(nonce, _sandbox.emit, GUEST_FRAME)
    else:
        _channel = Channel(nonce, _pipe_writer(), PIPE_FRAME)


def send_image(header: dict, data: bytes) -> None:
    """Hand one picture to the host."""
    _channel.send(IMAGE, _as_json(header) + b"\n" + data)


def send_report(report: dict) -> None:
    """Tell the host how the job stands; later keys replace earlier ones."""
    _channel.send(REPORT, _as_json(report))


def _as_json(value: dict) -> bytes:
    """JSON that any parser takes: lone surrogates, which JSON cannot carry, are written out as text."""
    text = dumps(value, ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return "".join(c if not "\ud800" <= c <= "\udfff" else f"\\\\u{ord(c):04x}" for c in text).encode()


def flush_stdout() -> None:
    """Push out what was printed, also when the job closed or replaced sys.stdout."""
    for name in ("stdout", "__stdout__"):
        try:
            getattr(sys, name).flush()
        except Exception:  # closed, None, deleted, or an object of the job's own
            pass


def private_fd(fd: int, index: int) -> int:
    """A copy of `fd` among the highest descriptors that are allowed."""
    highest = min(PRIVATE_FD, os.sysconf("SC_OPEN_MAX") - 1)
    return os.dup2(fd, highest - index, inheritable=False)


def _pipe_writer():
    """A function that writes one frame to a private copy of descriptor 1, in one system call."""
    try:
        fd = private_fd(1, 0)
    except OSError:  # fewer descriptors allowed
        fd = os.dup(1)
    write = os.write  # bound now: the job may replace it

    def write_frame(frame: bytes) -> None:
        while True:
            try:
                write(fd, frame)
                return
            except BlockingIOError:  # the job made the pipe non-blocking
                _wait_a_moment()
            except OSError:  # the host has gone, or the job closed every descriptor
                return

    return write_frame


def _wait_a_moment() -> None:
    import time

    time.sleep(0.002)
