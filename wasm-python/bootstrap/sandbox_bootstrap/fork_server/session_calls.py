"""The calls of a session in one child, one after the other, until the host hangs up.

Behind each request waits a key, which stays in the kernel while the call runs. When everything that
it printed is written, the key goes back with its exit code. The host ends a process that says
anything else.
"""

import contextlib
import os

from ..host import deadline
from ..job import streams
from ..job.run import run_request
from .control import BROKEN_BOOTSTRAP, DONE, KEY, receive_request


def serve(channel: int, request: bytes | None) -> int:
    """Run the call `request` and those that arrive on `channel`; returns the process's code."""
    while request is not None:
        try:
            code = run_request(request)
        except BaseException:  # the deadline struck in the very last step
            code = BROKEN_BOOTSTRAP
        deadline.disarm()
        with contextlib.suppress(BaseException):
            streams.flush()
        os.set_blocking(channel, True)  # the job could change that
        key = os.read(channel, KEY)
        os.write(channel, DONE + key + (code & 0xFF).to_bytes(4, "little"))
        request = receive_request(channel)
    return 0
