"""The fork server of the native jobs: imports once, then forks a child for each job.

The server's helper starts it, under a filter that allows it to fork. It runs no line of a job and
knows nothing of any: it is told to fork, and the child reads its own order from a channel of its
own. What it knows of its children, their pids, stands in memory that a child wipes.
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

from ..host import report
from ..host.deadline import DEADLINE_SIGNAL
from ..native import file_io, file_metadata, shared_memory
from . import control, huge_pages, learning, walls, warm

MOST = 4096  # children at once


def main(confined: bool, modules: list[str], learned: list[str]) -> int | None:
    """Import `modules` and `learned`, then serve until the server hangs up.

    Also returns in each child: the descriptor of its channel.
    """
    # An unconfined job can leave processes behind. They become children of this process, which
    # kills them.
    walls.adopt_orphans()
    os.environ.pop("LD_PRELOAD", None)  # how `job_paths.so` came in, nobody's business
    # A deadline must not kill a child before the job installs its handler.
    signal.signal(DEADLINE_SIGNAL, signal.SIG_IGN)
    server = socket.socket(fileno=control.CONTROL_FD)
    _warm(server, modules, learned)
    channel = _Loop(server, confined).serve()
    if channel is not None:
        _use_up_freed_numbers()
    return channel


def _warm(server: socket.socket, modules: list[str], learned: list[str]) -> None:
    """Import what children will need, and tell the server what could not be imported."""
    file_metadata.install()
    shared_memory.install()
    for why in warm.fork_server(modules):
        control.say(server, control.MISSING, why)
    learning.learn(server, learned)
    file_io.install()
    report.worth_learning = learning.unknown()
    control.say(server, control.LEARNABLE, " ".join(report.worth_learning))
    gc.collect()
    gc.freeze()  # children share these pages as long as the collector leaves them alone
    huge_pages.gather()


class _Loop:
    """The loop of the parent: one thread, its socket and its children."""

    def __init__(self, server: socket.socket, confined: bool) -> None:
        self.server = server
        self.confined = confined
        self.command = bytearray(control.COMMAND.size)
        self.event = bytearray(control.EVENT.size)
        self.children = memoryview(bytearray(4 * MOST)).cast("i")  # a pid stays until it is reaped
        self.count = 0
        self.wakeup, self.wakeup_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        # Without a handler nothing is written to the wake-up pipe.
        signal.signal(signal.SIGCHLD, _ignore)
        signal.set_wakeup_fd(self.wakeup_write, warn_on_full_buffer=False)

    def serve(self) -> int | None:
        """Run until the server hangs up; also returns in each child, with its channel."""
        control.say(self.server, control.READY, number=control.PROTOCOL)
        poll = select.poll()
        poll.register(self.server, select.POLLIN)
        poll.register(self.wakeup, select.POLLIN)
        while True:
            for fd, _ in poll.poll():
                if fd == self.wakeup:
                    self._reap()
                    continue
                channel = self._receive()
                if channel is None:
                    self._end_all()
                    return None
                if self._obey(channel):
                    self._forget(channel)
                    return channel
                if channel >= 0:
                    os.close(channel)

    def _receive(self) -> int | None:
        """Take a command; returns the descriptor with it, -1 if there is none, None at the end."""
        size, extra, _, _ = self.server.recvmsg_into([self.command], socket.CMSG_SPACE(4))
        for _, _, data in extra:
            return int.from_bytes(data[:4], sys.byteorder)
        return -1 if size else None

    def _obey(self, channel: int) -> bool:
        """Do what the command says; true in a new child."""
        kind, pid, number = control.COMMAND.unpack_from(self.command)
        if kind != control.FORK:
            if pid in self.children[: self.count]:
                os.kill(pid, number)  # not reaped yet, so the pid is still our child's
            return False
        parent = os.getpid()
        try:
            if channel < 0 or self.count == MOST:
                raise BlockingIOError(11, "no room")
            pid = os.fork()
        except OSError as error:
            self._tell(control.NOT_FORKED, code=error.errno or 0)
            return False
        if pid == 0:
            # First, so that no later step can leave a process behind.
            walls.die_with_parent()
            if os.getppid() != parent:
                os._exit(control.BROKEN_BOOTSTRAP)
            return True
        self.children[self.count] = pid
        self.count += 1
        self._tell(control.FORKED, pid)
        return False

    def _forget(self, channel: int) -> None:
        """In a child: leave nothing of the parent, neither in memory nor open."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for buffer in (self.command, self.event, self.children.cast("B")):
            buffer[:] = bytes(len(buffer))
        self.count = 0
        self.server.detach()
        walls.close_all_but(channel)

    def _tell(self, kind: int, pid: int = 0, code: int = 0, number: int = 0, *rest: int) -> None:
        control.EVENT.pack_into(self.event, 0, kind, pid, code, number, *(rest or (0, 0, 0)))
        control.send(self.server, self.event)

    def _reap(self) -> None:
        """Report every child that has ended, and end what it left behind."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.wakeup, 4096)
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            pid = ended.si_pid
            status, usage = _bury(pid)
            if self._remove(pid):
                self._end_strays()
                exited = os.WIFEXITED(status)
                self._tell(
                    control.ENDED,
                    pid,
                    os.WEXITSTATUS(status) if exited else -1,
                    0 if exited else os.WTERMSIG(status),
                    time.monotonic_ns(),
                    int((usage.ru_utime + usage.ru_stime) * 1000),
                    usage.ru_maxrss << 10,
                )

    def _remove(self, pid: int) -> bool:
        for at in range(self.count):
            if self.children[at] == pid:
                self.count -= 1
                self.children[at] = self.children[self.count]
                return True
        return False

    def _end_all(self) -> None:
        """Kill and reap the children.

        Their death signal would kill them, too, but not every container has an init that reaps.
        """
        for pid in self.children[: self.count]:
            os.kill(pid, signal.SIGKILL)
        for pid in self.children[: self.count]:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            _bury(pid)
        self.count = 0
        self._end_strays()

    def _end_strays(self) -> None:
        """Kill children that are not jobs: they left their group, and their parent died."""
        if self.confined:
            return  # then no job can make a process
        try:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                children = file.read().split()
        except OSError:  # a kernel without this list
            return
        for pid in map(int, children):
            if pid not in self.children[: self.count]:
                os.kill(pid, signal.SIGKILL)


def _bury(pid: int) -> tuple[int, Any]:
    """Kill the group of a child that has ended, then reap it; returns status and usage."""
    with contextlib.suppress(OSError):
        # Before reaping: as long as the child is there, no other group has its number.
        os.killpg(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    return status, usage


def _ignore(*_: object) -> None:
    """Handle SIGCHLD; the wake-up pipe does what there is to do."""


def _use_up_freed_numbers() -> None:
    """Overwrite the memory of the last integers that the loop freed, pids among them."""
    _ = [number << 40 for number in range(1 << 10)]
