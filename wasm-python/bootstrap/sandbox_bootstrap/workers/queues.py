"""`multiprocessing`'s queues and pipes within one process. What goes through is copied."""

from collections import deque
from queue import Empty, Full
from typing import Any

from . import copying, running


class Queue:
    """`multiprocessing.Queue`."""

    def __init__(self, maxsize: int = 0, *, ctx: Any = None) -> None:
        self._limit = maxsize if maxsize > 0 else 1 << 31
        self._items: deque[bytes] = deque()
        self._closed = False

    def put(self, obj: Any, block: bool = True, timeout: float | None = None) -> None:
        """Append a copy of `obj`; `queue.Full` if there is no room within `timeout` seconds."""
        self._check_open()
        data = copying.dumps(obj)

        def append() -> None:
            self._items.append(data)
            self._count()
            running.way.notify()

        has_room = running.way.until(
            lambda: len(self._items) < self._limit, timeout if block else 0, append
        )
        if not has_room:
            raise Full

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take the first object; `queue.Empty` if none comes within `timeout` seconds."""
        self._check_open()
        taken: list[bytes] = []

        def take() -> None:
            taken.append(self._items.popleft())
            running.way.notify()

        if not running.way.until(lambda: bool(self._items), timeout if block else 0, take):
            raise Empty
        return copying.loads(taken[0])

    def put_nowait(self, obj: Any) -> None:
        """`put` without waiting."""
        self.put(obj, False)

    def get_nowait(self) -> Any:
        """`get` without waiting."""
        return self.get(False)

    def qsize(self) -> int:
        """How many objects are in it."""
        running.way.catch_up()
        return len(self._items)

    def empty(self) -> bool:
        """Whether there is none."""
        return not self.qsize()

    def full(self) -> bool:
        """Whether `put` would have to wait."""
        return self.qsize() >= self._limit

    def close(self) -> None:
        """Nothing more will be put or taken here."""
        self._closed = True

    def join_thread(self) -> None:
        """There is no thread behind it."""

    def cancel_join_thread(self) -> None:
        """There is no thread behind it."""

    def is_ready(self) -> bool:
        """Whether `get` would not wait."""
        return bool(self._items)

    _reader = property(lambda self: self)  # what thread pools wait for

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError(f"Queue {self!r} is closed")

    def _count(self) -> None:
        """An object was put."""


class JoinableQueue(Queue):
    """`multiprocessing.JoinableQueue`."""

    def __init__(self, maxsize: int = 0, *, ctx: Any = None) -> None:
        super().__init__(maxsize, ctx=ctx)
        self._unfinished = 0

    def _count(self) -> None:
        self._unfinished += 1

    def task_done(self) -> None:
        """One of the objects taken is dealt with."""
        with running.way.lock:
            if self._unfinished <= 0:
                raise ValueError("task_done() called too many times")
            self._unfinished -= 1
            running.way.notify()

    def join(self) -> None:
        """Wait until all are."""
        running.way.until(lambda: not self._unfinished, None)


class SimpleQueue(Queue):
    """`multiprocessing.SimpleQueue`."""

    def __init__(self, *, ctx: Any = None) -> None:
        super().__init__(ctx=ctx)

    def put(self, obj: Any) -> None:  # type: ignore[override]  # the signature is Python's
        """Append a copy of `obj`."""
        super().put(obj)

    def get(self) -> Any:  # type: ignore[override]
        """Take the first object, which may have to come first."""
        return super().get()


class _Channel:
    """One direction of a pipe."""

    def __init__(self) -> None:
        self.messages: deque[bytes] = deque()
        self.writers = 0
        self.readers = 0


class Connection:
    """`multiprocessing.connection.Connection`: an end of a pipe."""

    def __init__(self, reads: _Channel | None, writes: _Channel | None) -> None:
        self._reads = reads
        self._writes = writes
        self.closed = False
        if reads is not None:
            reads.readers += 1
        if writes is not None:
            writes.writers += 1

    readable = property(lambda self: self._reads is not None)
    writable = property(lambda self: self._writes is not None)

    def another_end(self) -> "Connection":
        """The same end for another process: the pipe is open until both have closed it."""
        return Connection(self._reads, self._writes)

    def send(self, obj: Any) -> None:
        """Send a copy of `obj`."""
        self._write(copying.dumps(obj))

    def recv(self) -> Any:
        """Receive an object; `EOFError` if none can come any more."""
        return copying.loads(self._read())

    def send_bytes(self, buf: Any, offset: int = 0, size: int | None = None) -> None:
        """Send bytes."""
        view = memoryview(buf).cast("B")[offset:]
        self._write(bytes(view if size is None else view[:size]))

    def recv_bytes(self, maxlength: int | None = None) -> bytes:
        """Receive the bytes of one message."""
        data = self._read()
        if maxlength is not None and len(data) > maxlength:
            self.close()
            raise OSError("got message longer than `maxlength`")
        return data

    def recv_bytes_into(self, buf: Any, offset: int = 0) -> int:
        """Receive one message into a buffer; returns its length."""
        data = self._read()
        memoryview(buf).cast("B")[offset : offset + len(data)] = data
        return len(data)

    def poll(self, timeout: float | None = 0.0) -> bool:
        """Whether there is a message, or the end, to receive."""
        self._check(self._reads)
        running.way.catch_up()
        return running.way.until(self.is_ready, timeout)

    def is_ready(self) -> bool:
        """Whether `recv` would not wait."""
        channel = self._reads
        return channel is not None and bool(channel.messages or not channel.writers)

    def close(self) -> None:
        """Close this end."""
        if self.closed:
            return
        with running.way.lock:
            self.closed = True
            if self._reads is not None:
                self._reads.readers -= 1
            if self._writes is not None:
                self._writes.writers -= 1
            running.way.notify()

    def fileno(self) -> int:
        """There is no descriptor."""
        raise OSError("this end of a pipe has no descriptor: it is within one process")

    def _check(self, channel: _Channel | None) -> _Channel:
        if self.closed:
            raise OSError("handle is closed")
        if channel is None:
            raise OSError(f"connection is {'read' if self.readable else 'write'}-only")
        return channel

    def _write(self, data: bytes) -> None:
        channel = self._check(self._writes)
        with running.way.lock:
            if not channel.readers:
                raise BrokenPipeError(32, "Broken pipe")
            channel.messages.append(data)
            running.way.notify()

    def _read(self) -> bytes:
        channel = self._check(self._reads)
        taken: list[bytes] = []

        def take() -> None:
            if channel.messages:
                taken.append(channel.messages.popleft())

        running.way.until(self.is_ready, None, take)
        if not taken:
            raise EOFError
        return taken[0]

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def pipe(duplex: bool = True) -> tuple[Connection, Connection]:
    """`multiprocessing.Pipe`."""
    there = _Channel()
    if not duplex:
        return Connection(there, None), Connection(None, there)
    back = _Channel()
    return Connection(there, back), Connection(back, there)


def wait(object_list: Any, timeout: float | None = None) -> list[Any]:
    """`multiprocessing.connection.wait`, for ends of pipes and sentinels of processes."""
    waiting = list(object_list)
    running.way.catch_up()
    running.way.until(lambda: any(item.is_ready() for item in waiting), timeout)
    return [item for item in waiting if item.is_ready()]


def patch_queues(module: Any) -> None:
    """Adapt `multiprocessing.queues`."""
    for kind in (Queue, JoinableQueue, SimpleQueue):
        kind.__module__ = module.__name__
        setattr(module, kind.__name__, kind)


def patch_connection(module: Any) -> None:
    """Adapt `multiprocessing.connection`."""
    Connection.__module__ = module.__name__
    pipe.__name__ = pipe.__qualname__ = "Pipe"
    module.Connection, module.Pipe, module.wait = Connection, pipe, wait
