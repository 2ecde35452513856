"""The control socket: one JSON message a packet, descriptors beside it.

The other end is `src/native/control.rs`.
"""

import json
import os
import socket
from collections.abc import Sequence
from typing import Any

PROTOCOL = 3  # changes with the messages; the server accepts no other
CONTROL_FD = 3
MAX_MESSAGE = 256 << 10
MAX_FDS = 5
BROKEN_BOOTSTRAP = 70  # exit code when this package itself fails (EX_SOFTWARE of sysexits.h)


def tell(control: socket.socket, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
    """Send a message to the server; without a server this process ends."""
    try:
        text = json.dumps(message).encode()
        if fds:
            socket.send_fds(control, [text], fds)
        else:
            control.send(text)
    except OSError:
        os._exit(0)  # the server is gone, so there is nothing left to do


def receive(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next message with its descriptors; None when the server has hung up."""
    message, fds, _, _ = socket.recv_fds(control, MAX_MESSAGE, MAX_FDS)
    return (json.loads(message), fds) if message else None
