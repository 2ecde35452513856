"""`concurrent.futures.ProcessPoolExecutor` within one process."""

import os
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from . import copying, running
from .pool import WORKERS_AT_MOST
from .process import Stopped, as_process

_broken: type[Exception]  # concurrent.futures.process.BrokenProcessPool


class ProcessPoolExecutor(Executor):
    """The signature is that of the class whose place it takes."""

    def __init__(
        self,
        max_workers: int | None = None,
        mp_context: Any = None,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
        *,
        max_tasks_per_child: int | None = None,
    ) -> None:
        max_workers = (os.process_cpu_count() or 1) if max_workers is None else max_workers
        if max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        if max_tasks_per_child is not None and max_tasks_per_child <= 0:
            raise ValueError("max_tasks_per_child must be >= 1")
        import multiprocessing

        running.say_so()
        self._max_workers = max_workers
        self._context = mp_context or multiprocessing.get_context()
        self._prepare = (initializer, initargs)
        self._crew = running.way.crew(min(max_workers, WORKERS_AT_MOST), self._begin)
        self._pending: set[Future[Any]] = set()
        self._is_shut = self._is_broken = False

    def _begin(self, _number: int) -> Any:
        worker = self._context.Process()
        initializer, arguments = self._prepare
        if initializer is not None:
            try:
                with as_process(worker):
                    initializer(*arguments)
            except Exception:
                self._is_broken = True
                raise
        return worker

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Call `fn` in a worker."""
        if self._is_broken:
            raise _broken("A child process terminated abruptly, the pool is not usable anymore")
        if self._is_shut:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[Any] = Future()
        try:
            task = copying.dumps((fn, args, kwargs))
        except Exception as error:
            future.set_exception(error)
            return future
        with running.way.lock:
            self._pending.add(future)

        def work(worker: Any) -> None:
            try:
                self._do(task, future, worker)
            finally:
                with running.way.lock:
                    self._pending.discard(future)
                    running.way.notify()

        self._crew.run(work)
        return future

    def _do(self, task: bytes, future: "Future[Any]", worker: Any) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            if isinstance(worker, BaseException):
                raise _broken("A process in the process pool was terminated abruptly") from worker
            with as_process(worker):
                called, arguments, named = copying.loads(task)
                result = called(*arguments, **named)
        except Exception as error:
            future.set_exception(error)
        except (SystemExit, Stopped):
            self._is_broken = True
            future.set_exception(_broken("A process in the process pool was terminated abruptly"))
        else:
            future.set_result(result)

    def map(
        self,
        fn: Callable[..., Any],
        *iterables: Any,
        timeout: float | None = None,
        chunksize: int = 1,
    ) -> Any:
        """The results of `fn` for the items of the iterables, in their order."""
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        return super().map(fn, *iterables, timeout=timeout)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more work, and wait for what was taken."""
        self._is_shut = True
        if cancel_futures:
            for future in list(self._pending):
                future.cancel()
        if wait:
            running.way.until(lambda: not self._pending, None)
        if not self._pending:
            self._crew.stop()


def patch(module: Any) -> None:
    """Adapt `concurrent.futures.process`."""
    global _broken
    _broken = module.BrokenProcessPool
    ProcessPoolExecutor.__module__ = module.__name__
    module.ProcessPoolExecutor = ProcessPoolExecutor
