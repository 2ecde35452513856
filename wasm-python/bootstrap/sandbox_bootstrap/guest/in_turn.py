"""Work for processes is done one after the other here: there are no threads either.

A process that was started begins when its program waits for something, or looks at what others
did: then most of what it needs is there.
"""

import contextlib
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

from ..host import request, reroute
from ..workers import patches, running, semaphore
from ..workers.process import Stopped
from ..workers.running import Task, WorkerTask
from . import shared_values


class InTurn:
    """The guest's way to run work."""

    note = (
        "there are no worker processes here: the work was done in turn, in this one process, "
        "and shared its variables"
    )
    in_turn = True
    lock = contextlib.nullcontext()

    def __init__(self) -> None:
        self._waiting: deque[_Work] = deque()
        # What runs, innermost last, and for what it was begun.
        self._begun: list[tuple[_Work, Callable[[], bool]]] = []

    def until(
        self,
        condition: Callable[[], bool],
        timeout: float | None,
        then: Callable[[], object] | None = None,
    ) -> bool:
        """See `running.Way`."""
        while not condition():
            if timeout == 0:
                return False
            if self._waiting:
                self._begin(condition)
            elif timeout is not None:  # nobody else is there to bring it about
                return False
            elif self._begun and self._begun[-1][0].daemon and self._begun[-1][1]():
                raise Stopped  # a daemon may wait for ever: it has done what was wanted
            else:
                _give_up()
        if then is not None:
            then()
        return True

    def _begin(self, wanted: Callable[[], bool]) -> None:
        work = self._waiting.popleft()
        self._begun.append((work, wanted))
        try:
            work.task()
        finally:
            self._begun.pop()

    def notify(self) -> None:
        """Nobody waits while others work."""

    def start(self, task: Task, name: str, daemon: bool) -> "_Work":
        """See `running.Way`."""
        work = _Work(task, daemon, self._waiting)
        self._waiting.append(work)
        return work

    def crew(self, size: int, prepare: Callable[[int], object]) -> "_Crew":
        """See `running.Way`."""
        return _Crew(size, prepare)

    def catch_up(self) -> None:
        """See `running.Way`."""
        while self._waiting:
            self._begin(lambda: True)

    def finish(self) -> None:
        """See `running.Way`."""
        for work in [work for work in self._waiting if work.daemon]:
            work.stop()
        self.catch_up()


class _Work:
    def __init__(self, task: Task, daemon: bool, waiting: "deque[_Work]") -> None:
        self.task = task
        self.daemon = daemon
        self._all = waiting

    def stop(self) -> None:
        """See `running.Work`."""
        with contextlib.suppress(ValueError):  # it has begun
            self._all.remove(self)


class _Crew:
    """Workers that take turns."""

    def __init__(self, size: int, prepare: Callable[[int], object]) -> None:
        self._size = size
        self._prepare = prepare
        self._workers: list[object] = []
        self._next = 0

    def run(self, task: WorkerTask) -> None:
        """See `running.Crew`."""
        if len(self._workers) < self._size:
            try:
                self._workers.append(self._prepare(len(self._workers) + 1))
            except Exception as error:
                self._workers.append(error)
            self._next = len(self._workers) - 1
        worker = self._workers[self._next]
        self._next = (self._next + 1) % len(self._workers)
        task(worker)

    def stop(self) -> None:
        """All is done."""


def _give_up() -> None:
    """What is waited for can only come from work that runs at the same time."""
    job = request.running
    if job is not None and job.can_rerun_natively:
        reroute.rerun_natively("multiprocessing")
    why = f": {job.native_why}" if job is not None and job.native_why else ""
    raise RuntimeError(
        "this waits for another process for ever: work is done in turn here; processes that "
        f"work at the same time need the native runtime, which is off{why}"
    )


def install() -> None:
    """Adapt `multiprocessing`, which the snapshot holds already."""
    running.way = InTurn()
    sys.modules.setdefault("_multiprocessing", semaphore.module())
    for name, patch in patches.BY_MODULE.items():
        with contextlib.suppress(ImportError):
            __import__(name)
            patch(sys.modules[name])
    from multiprocessing import sharedctypes, synchronize

    shared_values.patch(sharedctypes)
    library: Any = synchronize
    library.Barrier = _no_barrier


def _no_barrier(*_args: Any, **_kwargs: Any) -> None:
    _give_up()
