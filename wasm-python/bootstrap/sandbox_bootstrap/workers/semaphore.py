"""Stands in for `_multiprocessing.SemLock`, on which all of multiprocessing's locks are built."""

import _thread
from types import ModuleType
from typing import Any

from . import running

_RECURSIVE = 0  # kind of a lock that its owner may take again


class SemLock:
    """A semaphore; the signature is that of the C class."""

    SEM_VALUE_MAX = 2**31 - 1
    name = None  # there is nothing to open by a name

    def __init__(self, kind: int, value: int, maxvalue: int, name: str, unlink: bool) -> None:
        self.kind = kind
        self.maxvalue = maxvalue
        self.handle = id(self)
        self._value = value
        self._owner = 0
        self._depth = 0

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take it; False if that was not possible within `timeout` seconds."""
        if self.kind == _RECURSIVE and self._is_mine():
            self._depth += 1
            return True
        wait = (None if timeout is None else max(timeout, 0)) if block else 0
        return running.way.until(lambda: self._value > 0, wait, self._take)

    def _take(self) -> None:
        self._value -= 1
        self._owner = _thread.get_ident()
        self._depth += 1

    def release(self) -> None:
        """Give it back."""
        with running.way.lock:
            if self.kind == _RECURSIVE:
                if not self._is_mine():
                    raise AssertionError("attempt to release recursive lock not owned by thread")
                if self._depth > 1:
                    self._depth -= 1
                    return
            elif self._value >= self.maxvalue:
                raise ValueError("semaphore or lock released too many times")
            self._depth -= 1
            self._value += 1
            running.way.notify()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_exception: object) -> None:
        self.release()

    def _count(self) -> int:
        return self._depth

    def _is_mine(self) -> bool:
        return self._depth > 0 and self._owner == _thread.get_ident()

    def _get_value(self) -> int:
        return self._value

    def _is_zero(self) -> bool:
        return self._value == 0

    def _after_fork(self) -> None:
        pass


def patch(module: Any) -> None:
    """Put the class into `_multiprocessing`."""
    SemLock.__module__ = "_multiprocessing"
    module.SemLock = SemLock
    module.sem_unlink = lambda _name: None


def module() -> ModuleType:
    """`_multiprocessing` where there is none."""
    made: Any = ModuleType("_multiprocessing")
    made.flags = {}
    patch(made)
    found: ModuleType = made
    return found
