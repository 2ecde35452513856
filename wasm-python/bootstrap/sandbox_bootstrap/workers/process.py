"""`multiprocessing.Process`: its code runs in this process, on a copy of its arguments."""

import atexit
import itertools
import sys
import threading
from typing import Any

from ..host import deadline, reroute, traceback_text
from . import copying, running

_pids = itertools.count(1 << 22)  # above every real one: nobody must signal this process by it
_here = threading.local()  # .process: the one whose code runs in this thread


class Stopped(BaseException):
    """Raised in work that is to stop."""


class Popen:
    """What a Process object asks about its process."""

    method = "thread"

    def __init__(self, process: Any) -> None:
        running.say_so()
        self.returncode: int | None = None
        self.pid = next(_pids)
        self.sentinel = self
        child, self._ends = _child_of(process)
        _wait_at_exit()
        self._work = running.way.start(lambda: self._run(child), process.name, process.daemon)

    def _run(self, child: Any) -> None:
        outer = getattr(_here, "process", None)
        _here.process = child
        try:
            code = _exit_code_of(child)
        finally:
            _here.process = outer
        self._end(code)

    def _end(self, code: int) -> None:
        for end in self._ends:
            end.close()
        with running.way.lock:
            if self.returncode is None:
                self.returncode = code
            running.way.notify()

    def is_ready(self) -> bool:
        """Whether it has ended."""
        return self.returncode is not None

    def poll(self, *_flags: int) -> int | None:
        """The exit code, if it has ended."""
        running.way.catch_up()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        """The exit code; None if it has not ended within `timeout` seconds."""
        running.way.until(self.is_ready, timeout)
        return self.returncode

    def terminate(self) -> None:
        """Stop it; Python code stops at its next step, a call of C code when it returns."""
        self._stop(-15)

    def kill(self) -> None:
        """The same."""
        self._stop(-9)

    def _stop(self, code: int) -> None:
        if self.returncode is None:
            self._work.stop()
            self._end(code)

    def close(self) -> None:
        """Nothing is held."""


def _child_of(process: Any) -> tuple[Any, list[Any]]:
    """The process object as its own process has it, and the ends of pipes that it got."""
    child = object.__new__(type(process))
    vars(child).update(vars(process))
    ends: list[Any] = []
    try:
        given, ends = copying.loads_for_child(
            copying.dumps((process._target, process._args, process._kwargs))
        )
        child._target, child._args, child._kwargs = given
    except Exception:  # a forked process would have them all the same
        pass
    return child, ends


def _exit_code_of(child: Any) -> int:
    """Run the code of a process, which leaves in one of the ways of a program."""
    try:
        child.run()
    except (deadline.DeadlineReached, reroute.NeedsNative):
        raise
    except Stopped:
        return -15
    except SystemExit as error:
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        _print(f"{error.code}\n")
        return 1
    except BaseException as error:
        _print(f"Process {child.name}:\n{traceback_text.of(error)}")
        return 1
    return 0


def _print(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)


def _wait_at_exit() -> None:
    """End daemons and wait for the others at the end of the program, as multiprocessing does."""
    from multiprocessing import util

    library: Any = util
    atexit.unregister(library._exit_function)
    atexit.register(library._exit_function)


class as_process:
    """Within it, `multiprocessing.current_process()` is `process`."""

    def __init__(self, process: Any) -> None:
        self._process = process

    def __enter__(self) -> None:
        self._outer = getattr(_here, "process", None)
        _here.process = self._process

    def __exit__(self, *_exception: object) -> None:
        _here.process = self._outer


def patch_process(module: Any) -> None:
    """Adapt `multiprocessing.process`."""

    def current_process() -> Any:
        """Return process object representing the current process"""
        return getattr(_here, "process", None) or module._current_process

    def parent_process() -> Any:
        """Return process object representing the parent process"""
        return module._current_process if getattr(_here, "process", None) else None

    module.current_process, module.parent_process = current_process, parent_process
    package = sys.modules.get("multiprocessing")
    for holder in (package, getattr(sys.modules.get("multiprocessing.context"), "BaseContext", 0)):
        if hasattr(holder, "current_process"):  # imported before, as in a snapshot
            is_class = isinstance(holder, type)
            for function in (current_process, parent_process):
                made: Any = staticmethod(function) if is_class else function
                setattr(holder, function.__name__, made)


def patch_context(module: Any) -> None:
    """Adapt `multiprocessing.context`: every way to start a process."""
    for name in ("Process", "ForkProcess", "SpawnProcess", "ForkServerProcess"):
        getattr(module, name)._Popen = staticmethod(Popen)
