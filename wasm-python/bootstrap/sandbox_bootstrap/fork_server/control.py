"""The packets between this process and the server; none of them names anything of a job.

Both sockets are SOCK_SEQPACKET. The other ends are `src/native/control.rs` (the fork server's) and
`src/native/channel.rs` (the one of each child).
"""

import contextlib
import os
import socket
import struct
import time
from collections.abc import Iterator

PROTOCOL = 5  # changes with the packets; the server accepts no other
CONTROL_FD = 3
BROKEN_BOOTSTRAP = 70  # exit code when this package itself fails (EX_SOFTWARE of sysexits.h)

# From the server to the fork server: what to do, a child's pid, a signal's number. With FORK comes
# the descriptor of the child's own channel.
COMMAND = struct.Struct("=iii")
FORK = 1

# From the fork server: what happened, and numbers that depend on it (see `control.rs`); some are
# followed by words.
EVENT = struct.Struct("=iiiiQQQ")
READY, MISSING, LEARNABLE, TRYING, FAILED, FORKED, NOT_FORKED, ENDED = range(1, 9)
WORDS = 4000  # bytes of words in a packet

# On the channel of a child.
CHUNK = 64 << 10
KEY = 32  # bytes
LISTENER, WAITS, BEGINS, REFUSED, DONE = b"L", b"W", b"B", b"R", b"D"
# Descriptors in flight are counted for all processes of the user, and others can fill the count.
HAND_OVER = 5.0  # seconds


def say(control: socket.socket, kind: int, words: str = "", number: int = 0) -> None:
    """Send the server a packet with words in it; without a server this process ends."""
    text = words.encode(errors="replace")[:WORDS]
    send(control, EVENT.pack(kind, 0, number, 0, 0, 0, 0) + text)


def send(control: socket.socket, packet: bytes | bytearray) -> None:
    """Send the server a packet; without a server this process ends."""
    try:
        control.send(packet)
    except OSError:
        os._exit(0)  # the server is gone, so there is nothing left to do


def receive_order(channel: int) -> list[int]:
    """The descriptors that the server gives this child; raises if there are none."""
    with _socket(channel) as own:
        packet, fds, flags, _ = socket.recv_fds(own, 1, 4)
    if not packet:
        os._exit(BROKEN_BOOTSTRAP)  # the call was withdrawn
    if flags & socket.MSG_CTRUNC:
        raise OSError("there is no room for its descriptors")
    return fds


def hand_over(channel: int, fd: int) -> None:
    """Send the server a descriptor, for a while also against a count that others have filled."""
    until = time.monotonic() + HAND_OVER
    with _socket(channel) as own:
        while True:
            try:
                socket.send_fds(own, [LISTENER], [fd])
                return
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)


def refuse(channel: int, why: str) -> None:
    """Tell the server why the job has not been run."""
    os.write(channel, REFUSED + why.encode(errors="replace")[:WORDS])


def wait(channel: int) -> bytes:
    """Tell the server that the walls stand; returns the request, which may come much later."""
    os.write(channel, WAITS)
    request = receive_request(channel)
    if request is None:
        os._exit(BROKEN_BOOTSTRAP)  # there is no job for this child
    return request


def receive_request(channel: int) -> bytes | None:
    """The next request: its length in four bytes, then chunks. None when the server has gone."""
    head = os.read(channel, 4)
    left = int.from_bytes(head, "little")
    chunks = []
    while left > 0:
        chunk = os.read(channel, CHUNK)
        if not chunk:
            return None
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks) if head else None


def begin(channel: int) -> None:
    """Tell the server that the job's code begins."""
    os.write(channel, BEGINS + time.monotonic_ns().to_bytes(8, "little"))


@contextlib.contextmanager
def _socket(channel: int) -> Iterator[socket.socket]:
    """The socket behind a descriptor, which stays open."""
    own = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=channel)
    try:
        yield own
    finally:
        own.detach()
