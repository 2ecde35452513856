"""`multiprocessing`'s events and conditions within one process."""

from collections.abc import Callable
from typing import Any

from . import running


class Event:
    """`multiprocessing.Event`."""

    def __init__(self, *, ctx: Any = None) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        """Whether it is set."""
        running.way.catch_up()
        return self._is_set

    def set(self) -> None:
        """Let all go on that wait."""
        self._change(True)

    def clear(self) -> None:
        """Let those wait that come now."""
        self._change(False)

    def _change(self, is_set: bool) -> None:
        with running.way.lock:
            self._is_set = is_set
            running.way.notify()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set; False if that takes longer than `timeout` seconds."""
        return running.way.until(lambda: self._is_set, timeout)


class Condition:
    """`multiprocessing.Condition`."""

    def __init__(self, lock: Any = None, *, ctx: Any = None) -> None:
        self._lock = lock or ctx.RLock()
        self._waiting: list[list[bool]] = []  # of each that waits, whether it was notified
        self.acquire, self.release = self._lock.acquire, self._lock.release

    def __enter__(self) -> Any:
        return self._lock.__enter__()

    def __exit__(self, *exception: object) -> None:
        self._lock.__exit__(*exception)

    def wait(self, timeout: float | None = None) -> bool:
        """Give the lock back until notified; False after `timeout` seconds."""
        semaphore = self._lock._semlock
        assert semaphore._is_mine(), "must acquire() condition before using wait()"
        notified = [False]
        self._waiting.append(notified)
        depth = semaphore._count()
        for _ in range(depth):
            self._lock.release()
        try:
            return running.way.until(lambda: notified[0], timeout)
        finally:
            for _ in range(depth):
                self._lock.acquire()
            if notified in self._waiting:
                self._waiting.remove(notified)

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """Wait until `predicate()` holds; returns what it gave."""
        result = predicate()
        while not result and self.wait(timeout):
            result = predicate()
        return result or predicate()

    def notify(self, n: int = 1) -> None:
        """Let `n` of those go on that wait."""
        assert self._lock._semlock._is_mine(), "lock is not owned"
        with running.way.lock:
            for notified in self._waiting[:n]:
                notified[0] = True
            del self._waiting[:n]
            running.way.notify()

    def notify_all(self) -> None:
        """Let all go on that wait."""
        self.notify(len(self._waiting))


def patch(module: Any) -> None:
    """Adapt `multiprocessing.synchronize`."""
    for kind in (Event, Condition):
        kind.__module__ = module.__name__
        setattr(module, kind.__name__, kind)
