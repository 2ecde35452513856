# native: descriptors and the kernel's buffers behind them.
import contextlib
import os
import socket

import numpy

held = []
while True:
    with contextlib.suppress(OSError):
        held.append(socket.socketpair())
    held.append(os.pipe())
    os.set_blocking(held[-1][1], False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(held[-1][1], bytes(65536))
