"""Work for processes runs in threads here, since a job cannot start a process."""

import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from ..workers import patches, running
from ..workers.process import Stopped
from ..workers.running import Task, WorkerTask
from . import import_hooks

_AT_ONCE = 12  # threads of process objects; further ones begin when these have ended


class Threads:
    """The native way to run work."""

    note = (
        "there are no worker processes here: the work ran in threads of this one process "
        "and shared its variables"
    )
    in_turn = False

    def __init__(self) -> None:
        self.lock = threading.Condition(threading.RLock())
        self._waiting: deque[_Work] = deque()
        self._running = 0

    def until(
        self,
        condition: Callable[[], bool],
        timeout: float | None,
        then: Callable[[], object] | None = None,
    ) -> bool:
        """See `running.Way`."""
        with self.lock:
            holds = self.lock.wait_for(condition, timeout)
            if holds and then is not None:
                then()
            return holds

    def notify(self) -> None:
        """See `running.Way`."""
        self.lock.notify_all()

    def start(self, task: Task, name: str, daemon: bool) -> "_Work":
        """See `running.Way`."""
        work = _Work(task, name, daemon, self._ended)
        with self.lock:
            self._waiting.append(work)
        self._begin()
        return work

    def _begin(self) -> None:
        with self.lock:
            while self._waiting and self._running < _AT_ONCE:
                self._running += 1
                self._waiting.popleft().thread.start()

    def _ended(self) -> None:
        with self.lock:
            self._running -= 1
        self._begin()

    def crew(self, size: int, prepare: Callable[[int], object]) -> "_Crew":
        """See `running.Way`."""
        return _Crew(size, prepare)

    def catch_up(self) -> None:
        """Threads do their work by themselves."""

    def finish(self) -> None:
        """The end of the job waits for threads anyway."""


class _Work:
    def __init__(self, task: Task, name: str, daemon: bool, ended: Callable[[], None]) -> None:
        self._task = task
        self._ended = ended
        self._stopped = False
        self.thread = threading.Thread(target=self._run, name=name, daemon=daemon)

    def _run(self) -> None:
        try:
            if not self._stopped:
                self._task()
        except Stopped:
            pass
        finally:
            self._ended()

    def stop(self) -> None:
        """See `running.Work`."""
        self._stopped = True
        _interrupt(self.thread)


class _Crew:
    """Threads that begin when there is more to do than they are."""

    def __init__(self, size: int, prepare: Callable[[int], object]) -> None:
        self._size = size
        self._prepare = prepare
        self._tasks: SimpleQueue[WorkerTask | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []
        self._stopped = False

    def run(self, task: WorkerTask) -> None:
        """See `running.Crew`."""
        if self._stopped:  # the rest of an `imap` whose pool is closed
            task(self._prepare(0))
            return
        self._tasks.put(task)
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._size:
            arguments = (len(self._threads) + 1, self._prepare, self._tasks, self._idle)
            thread = threading.Thread(target=_work, args=arguments, daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """See `running.Crew`."""
        if self._stopped:
            return
        self._stopped = True
        while not self._tasks.empty():
            self._tasks.get()
        for thread in self._threads:
            self._tasks.put(None)
            _interrupt(thread)


def _work(
    number: int,
    prepare: Callable[[int], object],
    tasks: "SimpleQueue[WorkerTask | None]",
    idle: threading.Semaphore,
) -> None:
    worker: object
    try:
        worker = prepare(number)
    except Exception as error:
        worker = error
    try:
        while (task := tasks.get()) is not None:
            task(worker)
            idle.release()
    except Stopped:
        pass


def _interrupt(thread: threading.Thread) -> None:
    """Raise `Stopped` in a thread, at its next step of Python code."""
    if thread.is_alive() and thread is not threading.current_thread():
        import ctypes

        ident = ctypes.c_ulong(thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(Stopped))


def _patch_heap(module: Any) -> None:
    """Shared memory is in files of the job: `/dev/shm` is out of reach."""
    module.Arena._dir_candidates = []


def _patch_shared_memory(module: Any) -> None:
    import os
    import tempfile

    def path(name: str) -> str:
        return os.path.join(tempfile.gettempdir(), name.replace("/", ""))

    def shm_open(name: str, flags: int, mode: int = 0o777) -> int:
        return os.open(path(name), flags | os.O_CLOEXEC, mode)

    module._posixshmem.shm_open = shm_open
    module._posixshmem.shm_unlink = lambda name: os.unlink(path(name))


def _patch_tracker(module: Any) -> None:
    """Its process would remove what other processes leave behind."""
    module.ensure_running = lambda: None
    module.register = module.unregister = lambda name, rtype: None


def _patch_joblib(module: Any) -> None:
    """Its backends of processes run in threads, too."""

    class InThreads(module.ThreadingBackend):  # type: ignore[misc]
        supports_inner_max_num_threads = True

        def effective_n_jobs(self, n_jobs: Any) -> Any:
            return min(super().effective_n_jobs(n_jobs), _AT_ONCE)

        def configure(self, *args: Any, **kwargs: Any) -> Any:
            workers = super().configure(*args, **kwargs)
            if workers > 1:
                running.say_so()
            return workers

    for name in ("loky", "multiprocessing"):
        module.BACKENDS[name] = InThreads
    module.DEFAULT_BACKEND = "loky"


PATCHES: dict[str, Callable[[Any], None]] = {
    **patches.BY_MODULE,
    "multiprocessing.heap": _patch_heap,
    "multiprocessing.resource_tracker": _patch_tracker,
    "multiprocessing.shared_memory": _patch_shared_memory,
    "joblib.parallel": _patch_joblib,
}


def install() -> None:
    """Adapt the modules when they are imported. Repeating it is fine."""
    if running.way is not None:
        return
    running.way = Threads()
    for name, patch in PATCHES.items():
        import_hooks.after_import(name, patch)
