"""Frames: how images and reports travel inside the job's stdout.

A message is base64 between a begin and an end marker that carry the job's nonce. It is cut into
frames small enough to be written whole, whatever else writes to the same descriptor:

    [IMAGE_DATA_BEGIN:<nonce>:<id>:<more>]<base64>[IMAGE_DATA_END:<nonce>]
"""

import os
import sys
from _thread import RLock
from binascii import b2a_base64
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from typing import Any

from . import deadline, own_builtins

IMAGE = "IMAGE_DATA"
REPORT = "JOB_REPORT"

PIPE_FRAME = 4096  # PIPE_BUF: the kernel never mixes a write up to this size with another one
GUEST_FRAME = 1 << 20
PRIVATE_FD = 200  # above the low descriptors that jobs close or write in a loop


class Channel:
    """The way out for one job's messages."""

    def __init__(self, nonce: str, write: Callable[[bytes], object], max_frame: int) -> None:
        self._nonce = nonce
        self._write = write
        self._next_id = 1
        # Reentrant: the deadline's handler reports from wherever the main thread is.
        self._lock = RLock()
        overhead = len(self._frame(IMAGE, 10**9, 1, b""))
        self._chunk = (max_frame - overhead) // 4 * 4

    def send(self, kind: str, payload: bytes) -> None:
        """Write one message, after everything that the job has printed so far."""
        text = b2a_base64(payload, newline=False)
        deadline.shield()  # a message that the deadline interrupts would be lost
        try:
            with self._lock:
                flush_stdout()
                message_id = self._next_id
                self._next_id += 1
                for start in range(0, len(text) or 1, self._chunk):
                    more = int(start + self._chunk < len(text))
                    chunk = text[start : start + self._chunk]
                    self._write(self._frame(kind, message_id, more, chunk))
        finally:
            deadline.unshield()

    def _frame(self, kind: str, message_id: int, more: int, chunk: bytes) -> bytes:
        begin = f"[{kind}_BEGIN:{self._nonce}:{message_id}:{more}]"
        return begin.encode() + chunk + f"[{kind}_END:{self._nonce}]".encode()


_channel: Channel | None = None
_encode = own_builtins.private_copy("json.encoder").JSONEncoder(ensure_ascii=False).encode
_stdout: Any = None  # the stream that printing began with; no job has closed or replaced it then
_flushing = False


def open_channel(nonce: str, runtime: str) -> None:
    """Start the job's channel; must come before the job can touch descriptor 1."""
    global _channel, _stdout
    if type(sys.__stdout__) is TextIOWrapper:
        _stdout = sys.__stdout__
    if runtime == "wasm":
        import _sandbox

        _channel = Channel(nonce, _sandbox.emit, GUEST_FRAME)
    else:
        _channel = Channel(nonce, _pipe_writer(), PIPE_FRAME)


def send_image(header: Mapping[str, object], data: bytes) -> None:
    """Hand one picture to the host."""
    _send(IMAGE, _as_json(header) + b"\n" + data)


def send_report(report: Mapping[str, object]) -> None:
    """Tell the host how the job stands; keys of a later report replace those of an earlier one."""
    _send(REPORT, _as_json(report))


def _send(kind: str, payload: bytes) -> None:
    if _channel is None:
        raise RuntimeError("no job is running")
    _channel.send(kind, payload)


def _as_json(value: Mapping[str, object]) -> bytes:
    """JSON that any parser takes: a lone surrogate, which UTF-8 cannot hold, is spelled out."""
    text: str = _encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        spelled = (c if not "\ud800" <= c <= "\udfff" else f"\\\\u{ord(c):04x}" for c in text)
        return "".join(spelled).encode()


def flush_stdout() -> None:
    """Write out what was printed, also when the job closed or replaced sys.stdout."""
    global _flushing
    streams = [_stdout]
    if not _flushing:  # an object of the job's own that the deadline struck in
        streams[:0] = [getattr(sys, "stdout", None), getattr(sys, "__stdout__", None)]
    for stream in streams:
        _flushing = True
        try:
            stream.flush()
        except BaseException:  # closed, None, deleted, or an object of the job's own
            continue
        finally:
            _flushing = False


def private_fd(fd: int, index: int) -> int:
    """Copy `fd` to the descriptor `index` below the highest one that is allowed."""
    highest = min(PRIVATE_FD, os.sysconf("SC_OPEN_MAX") - 1)
    return os.dup2(fd, highest - index, inheritable=False)


def _pipe_writer() -> Callable[[bytes], None]:
    """A function that writes one frame to a private copy of descriptor 1, in one system call."""
    try:
        fd = private_fd(1, 0)
    except OSError:  # fewer descriptors are allowed
        fd = os.dup(1)
    write = os.write  # bound now: the job may replace it

    def write_frame(frame: bytes) -> None:
        while True:
            try:
                write(fd, frame)
                return
            except BlockingIOError:  # the job made the pipe non-blocking
                _wait_a_moment()
            except OSError:  # the host is gone, or the job closed every descriptor
                return

    return write_frame


def _wait_a_moment() -> None:
    import time

    time.sleep(0.002)
