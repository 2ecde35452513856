"""The fork server of the native jobs: imports once, then forks a child for each job.

The server's helper starts it, under a filter that allows it to fork. It talks over one socket (see
`control`) and runs no line of a job. A child closes that socket, sets itself up in the order of
`child.become_job`, and puts on the walls that the server made.
"""

import contextlib
import gc
import os
import select
import signal
import socket
import sys
import time
from typing import Any

from ..host.deadline import DEADLINE_SIGNAL
from ..native import file_io, file_metadata, shared_memory
from . import child, control, walls, warm
from .control import tell


def main(modules: list[str], learned: list[str]) -> None:
    """Import `modules` and what exists of `learned`, then serve jobs until the server hangs up."""
    # An unconfined job can leave processes behind. They become children of this process, which
    # kills them.
    walls.adopt_orphans()
    # A deadline must not kill a child before the job installs its handler.
    signal.signal(DEADLINE_SIGNAL, signal.SIG_IGN)
    server = socket.socket(fileno=control.CONTROL_FD)
    for why in _warm(modules, learned):
        tell(server, {"is": "missing", "why": why})
    sys.exit(_Server(server).serve())


def _warm(modules: list[str], learned: list[str]) -> list[str]:
    """Import what children will need; returns the failures among `modules`, with the reason."""
    file_metadata.install()
    shared_memory.install()
    failures = warm.fork_server(modules)
    file_io.install()
    for name in learned:
        with contextlib.suppress(Exception):  # in `from a import b`, b may be a module or not
            __import__(name)
    gc.collect()
    gc.freeze()  # children share these pages as long as the collector leaves them alone
    return failures


class _Server:
    """The loop of the parent: one thread, its socket and its children."""

    def __init__(self, server: socket.socket) -> None:
        self.control = server
        self.jobs: dict[int, int] = {}  # pid -> job; a pid stays in here until it is reaped
        self.wakeup, self.wakeup_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        # Without a handler nothing is written to the wake-up pipe.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wakeup_write, warn_on_full_buffer=False)
        self.poll = select.poll()
        self.poll.register(server, select.POLLIN)
        self.poll.register(self.wakeup, select.POLLIN)

    def serve(self) -> int:
        """Run until the server hangs up; the children end with it."""
        tell(self.control, {"is": "ready", "protocol": control.PROTOCOL})
        while True:
            for fd, _ in self.poll.poll():
                if fd == self.wakeup:
                    self._drain_wakeup()
                    self._reap()
                elif not self._take_order():
                    self._end_all()
                    return 0

    def _drain_wakeup(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self.wakeup, 4096)

    def _take_order(self) -> bool:
        received = control.receive(self.control)
        if received is None:
            return False
        order, fds = received
        try:
            if order["do"] == "run":
                self._run(order, fds)
            else:
                self._signal(order["job"], order["signal"])
        finally:
            for fd in fds:
                os.close(fd)
        return True

    def _signal(self, job: int, number: int) -> None:
        for pid, known in self.jobs.items():
            if known == job:
                os.kill(pid, number)  # not reaped yet, so the pid is still our child's

    def _run(self, order: dict[str, Any], fds: list[int]) -> None:
        parent = os.getpid()
        job = order["job"]
        try:
            pid = os.fork()
        except OSError as error:
            why = f"no child for it: {error.strerror}"
            tell(self.control, {"is": "refused", "job": job, "why": why})
            return
        if pid == 0:
            child.run(self.control, parent, order, fds)
        self.jobs[pid] = job
        tell(self.control, {"is": "started", "job": job, "pid": pid})

    def _reap(self) -> None:
        """Report every child that has ended, and end what it left behind."""
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            pid = ended.si_pid
            status, usage = _bury(pid)
            job = self.jobs.pop(pid, None)
            if job is not None:
                self._end_strays()
                tell(self.control, _end(job, status, usage))

    def _end_all(self) -> None:
        """Kill and reap the children.

        Their death signal would kill them, too, but not every container has an init that reaps.
        """
        for pid in self.jobs:
            os.kill(pid, signal.SIGKILL)
        for pid in self.jobs:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            _bury(pid)
        self.jobs.clear()
        self._end_strays()

    def _end_strays(self) -> None:
        """Kill children that are not jobs: they left their group, and their parent died."""
        try:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                children = file.read().split()
        except OSError:  # a kernel without this list; confined jobs leave nothing behind
            return
        for pid in map(int, children):
            if pid not in self.jobs:
                os.kill(pid, signal.SIGKILL)


def _bury(pid: int) -> tuple[int, Any]:
    """Kill the group of a child that has ended, then reap it; returns status and usage."""
    with contextlib.suppress(OSError):
        # Before reaping: as long as the child is there, no other group has its number.
        os.killpg(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    return status, usage


def _end(job: int, status: int, usage: Any) -> dict[str, Any]:
    exited = os.WIFEXITED(status)
    return {
        "is": "ended",
        "job": job,
        "at": time.monotonic_ns(),
        "code": os.WEXITSTATUS(status) if exited else None,
        "signal": None if exited else os.WTERMSIG(status),
        "cpu_ms": int((usage.ru_utime + usage.ru_stime) * 1000),
        "peak": usage.ru_maxrss << 10,
    }
