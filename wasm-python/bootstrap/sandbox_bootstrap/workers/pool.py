"""`multiprocessing.Pool` within one process."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from itertools import islice
from typing import Any

from . import copying, running
from .process import Stopped, as_process

WORKERS_AT_MOST = 8  # threads bring nothing beyond, and a job may have few


class AsyncResult:
    """What the `_async` methods return."""

    def __init__(
        self,
        futures: list["Future[Any]"],
        is_single: bool,
        callback: Callable[[Any], object] | None,
        error_callback: Callable[[BaseException], object] | None,
    ) -> None:
        self._futures = futures
        self._is_single = is_single
        self._callbacks = callback, error_callback
        self._left = len(futures)
        if not futures:
            self._call_back()
        for future in futures:
            future.add_done_callback(self._one_is_done)

    def _one_is_done(self, _future: object) -> None:
        with running.way.lock:
            self._left -= 1
            is_last = not self._left
            running.way.notify()
        if is_last:
            self._call_back()

    def _call_back(self) -> None:
        callback, error_callback = self._callbacks
        error = self._error()
        if error is not None and error_callback is not None:
            error_callback(error)
        elif error is None and callback is not None:
            callback(self._value())

    def _error(self) -> BaseException | None:
        return next((e for e in (future.exception() for future in self._futures) if e), None)

    def _value(self) -> Any:
        values = [future.result() for future in self._futures]
        return values[0] if self._is_single else values

    def get(self, timeout: float | None = None) -> Any:
        """The result, or the exception that the work raised."""
        self.wait(timeout)
        if not self.ready():
            from multiprocessing import TimeoutError as NotInTime

            raise NotInTime
        error = self._error()
        if error is not None:
            raise error
        return self._value()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the work is done."""
        running.way.until(self.ready, timeout)

    def ready(self) -> bool:
        """Whether it is."""
        return not self._left

    def successful(self) -> bool:
        """Whether it was done without an exception."""
        if not self.ready():
            raise ValueError(f"{self!r} not ready")
        return self._error() is None


class _Results:
    """The iterator that `imap` returns."""

    def __init__(self, submit: Callable[[Any], "Future[Any]"], items: Any, ahead: int) -> None:
        self._submit = submit
        self._items = iter(items)
        self._ahead = ahead
        self._futures: deque[Future[Any]] = deque()
        if not running.way.in_turn:  # else each is done when it is wanted
            self._ahead = max(ahead, len(items) if hasattr(items, "__len__") else 0)
            self._fill()

    def _fill(self) -> None:
        for item in islice(self._items, self._ahead - len(self._futures)):
            self._futures.append(self._submit(item))

    def __iter__(self) -> "_Results":
        return self

    def __next__(self) -> Any:
        return self.next()

    def next(self, timeout: float | None = None) -> Any:
        """The next result; `multiprocessing.TimeoutError` if it takes longer."""
        self._fill()
        if not self._futures:
            raise StopIteration
        future = self._take()
        try:
            return future.result(timeout)
        except FutureTimeout:
            if future.done():
                raise
            self._futures.appendleft(future)
            from multiprocessing import TimeoutError as NotInTime

            raise NotInTime from None

    def _take(self) -> "Future[Any]":
        return self._futures.popleft()


class _ResultsInAnyOrder(_Results):
    def _take(self) -> "Future[Any]":
        ready = next((future for future in self._futures if future.done()), self._futures[0])
        self._futures.remove(ready)
        return ready


class Pool:
    """`multiprocessing.pool.Pool`."""

    def __init__(
        self,
        processes: int | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
        maxtasksperchild: int | None = None,
        context: Any = None,
    ) -> None:
        processes = (os.process_cpu_count() or 1) if processes is None else processes
        if processes < 1:
            raise ValueError("Number of processes must be at least 1")
        if maxtasksperchild is not None and (
            not isinstance(maxtasksperchild, int) or maxtasksperchild <= 0
        ):
            raise ValueError("maxtasksperchild must be a positive int or None")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        import multiprocessing

        running.say_so()
        self._processes = processes
        self._context = context or multiprocessing.get_context()
        self._prepare = (initializer, tuple(initargs))
        self._pool = [self._worker() for _ in range(processes)]  # programs ask for its length
        self._crew = running.way.crew(min(processes, WORKERS_AT_MOST), self._begin)
        self._state = "RUN"
        self._unfinished = 0

    def _worker(self) -> Any:
        worker = self._context.Process()
        worker.name = worker.name.replace("Process", "PoolWorker")
        worker.daemon = True
        return worker

    def _begin(self, number: int) -> Any:
        """A worker begins: the process object that it is to itself."""
        worker = self._pool[number - 1]
        initializer, arguments = self._prepare
        if initializer is not None:
            with as_process(worker):
                initializer(*arguments)
        return worker

    def _submit(self, func: Any, args: Any, kwds: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        with running.way.lock:
            self._unfinished += 1
        try:
            task = copying.dumps((func, args, kwds))
        except Exception as error:  # what cannot go to another process is an error of the task
            future.set_exception(error)
            self._finished()
            return future

        def work(worker: Any) -> None:
            try:
                if isinstance(worker, BaseException):
                    raise worker
                with as_process(worker):
                    called, arguments, named = copying.loads(task)
                    result = called(*arguments, **named)
            except Exception as error:
                future.set_exception(error)
            except Stopped:
                future.cancel()
            else:
                future.set_result(result)
            finally:
                self._finished()

        self._crew.run(work)
        return future

    def _finished(self) -> None:
        with running.way.lock:
            self._unfinished -= 1
            running.way.notify()

    def _check_running(self) -> None:
        if self._state != "RUN":
            raise ValueError("Pool not running")

    def apply(self, func: Any, args: Any = (), kwds: Any = None) -> Any:
        """Call `func` in a worker, and wait for its result."""
        return self.apply_async(func, args, kwds).get()

    def apply_async(
        self,
        func: Any,
        args: Any = (),
        kwds: Any = None,
        callback: Callable[[Any], object] | None = None,
        error_callback: Callable[[BaseException], object] | None = None,
    ) -> AsyncResult:
        """Call `func` in a worker."""
        self._check_running()
        future = self._submit(func, tuple(args), dict(kwds or {}))
        return AsyncResult([future], True, callback, error_callback)

    def map(self, func: Any, iterable: Iterable[Any], chunksize: int | None = None) -> list[Any]:
        """The results of `func` for each item, in their order."""
        found: list[Any] = self.map_async(func, iterable, chunksize).get()
        return found

    def map_async(
        self,
        func: Any,
        iterable: Iterable[Any],
        chunksize: int | None = None,
        callback: Callable[[list[Any]], object] | None = None,
        error_callback: Callable[[BaseException], object] | None = None,
    ) -> AsyncResult:
        """The same without waiting."""
        items = [(item,) for item in iterable]
        return self.starmap_async(func, items, chunksize, callback, error_callback)

    def starmap(
        self, func: Any, iterable: Iterable[Iterable[Any]], chunksize: int | None = None
    ) -> list[Any]:
        """Like `map`, with several arguments for each call."""
        found: list[Any] = self.starmap_async(func, iterable, chunksize).get()
        return found

    def starmap_async(
        self,
        func: Any,
        iterable: Iterable[Iterable[Any]],
        chunksize: int | None = None,
        callback: Callable[[list[Any]], object] | None = None,
        error_callback: Callable[[BaseException], object] | None = None,
    ) -> AsyncResult:
        """The same without waiting."""
        self._check_running()
        futures = [self._submit(func, tuple(args), {}) for args in iterable]
        return AsyncResult(futures, False, callback, error_callback)

    def imap(self, func: Any, iterable: Iterable[Any], chunksize: int = 1) -> Iterator[Any]:
        """The results one after the other, each as soon as it is there."""
        return self._imap(_Results, func, iterable, chunksize)

    def imap_unordered(
        self, func: Any, iterable: Iterable[Any], chunksize: int = 1
    ) -> Iterator[Any]:
        """The same in any order."""
        return self._imap(_ResultsInAnyOrder, func, iterable, chunksize)

    def _imap(
        self, kind: type[_Results], func: Any, iterable: Iterable[Any], chunksize: int
    ) -> Iterator[Any]:
        self._check_running()
        if chunksize < 1:
            raise ValueError(f"Chunksize must be 1+, not {chunksize:n}")
        ahead = 1 if running.way.in_turn else 2 * self._processes
        return kind(lambda item: self._submit(func, (item,), {}), iterable, ahead)

    def close(self) -> None:
        """Take no more work."""
        if self._state == "RUN":
            self._state = "CLOSE"

    def terminate(self) -> None:
        """Stop at once."""
        self._state = "TERMINATE"
        self._crew.stop()

    def join(self) -> None:
        """After `close` or `terminate`: wait until all work is done."""
        if self._state == "RUN":
            raise ValueError("Pool is still running")
        if self._state == "CLOSE":
            running.way.until(lambda: not self._unfinished, None)
            self._crew.stop()

    def __enter__(self) -> "Pool":
        self._check_running()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.terminate()

    def __del__(self) -> None:
        crew = getattr(self, "_crew", None)
        if crew is not None:
            crew.stop()

    def __reduce__(self) -> Any:
        raise NotImplementedError("pool objects cannot be passed between processes or pickled")

    def __repr__(self) -> str:
        return f"<multiprocessing.pool.Pool state={self._state} pool_size={self._processes}>"


def patch(module: Any) -> None:
    """Adapt `multiprocessing.pool`; its ThreadPool stays as it is."""
    real = module.Pool

    def __init__(self: Any, processes: Any = None, initializer: Any = None, initargs: Any = ()):
        real.__init__(self, processes, initializer, initargs)

    module.ThreadPool.__init__ = __init__  # the real one asks for `Pool` by its name
    module.Pool = type("Pool", (Pool, real), {"__module__": module.__name__})
