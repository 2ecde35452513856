"""`multiprocessing.connection.Listener` and `Client` within one process: a job cannot listen."""

import itertools
from collections import deque
from typing import Any

from . import queues, running

_numbers = itertools.count(1)
_open: dict[Any, "Listener"] = {}  # by address


class Listener:
    """`multiprocessing.connection.Listener`; those who connect are in the same process."""

    def __init__(
        self,
        address: Any = None,
        family: str | None = None,
        backlog: int = 1,
        authkey: bytes | None = None,
    ) -> None:
        if authkey is not None and not isinstance(authkey, bytes):
            raise TypeError("authkey should be a byte string")
        if address is None:
            number = next(_numbers)
            address = ("localhost", number) if family == "AF_INET" else f"/tmp/listener-{number}"
        elif isinstance(address, tuple) and address[1] == 0:
            address = (address[0], next(_numbers))
        self._calls: deque[queues.Connection] = deque()
        self._authkey = authkey
        self.address = address
        self.last_accepted: Any = None
        with running.way.lock:
            if address in _open:
                raise OSError(98, "Address already in use")
            _open[address] = self

    def accept(self) -> Any:
        """Wait for somebody to connect; gives the other end."""
        taken: list[queues.Connection] = []

        def take() -> None:
            if self._calls:
                taken.append(self._calls.popleft())

        running.way.until(lambda: bool(self._calls) or self._is_closed(), None, take)
        if not taken:
            raise OSError("listener is closed")
        return taken[0]

    def close(self) -> None:
        """Nobody can connect any more."""
        with running.way.lock:
            if not self._is_closed():
                del _open[self.address]
            running.way.notify()

    def _is_closed(self) -> bool:
        return _open.get(self.address) is not self

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def patch_connection(module: Any) -> None:
    """Adapt `multiprocessing.connection`; what is not of this process is called as ever."""
    queues.patch_connection(module)
    real = module.Client

    def Client(address: Any, family: str | None = None, authkey: bytes | None = None) -> Any:
        with running.way.lock:
            listener = _open.get(address)
            if listener is not None and listener._authkey == authkey:
                here, there = queues.pipe()
                listener._calls.append(there)
                running.way.notify()
                return here
        if listener is not None:
            raise module.AuthenticationError("digest sent was rejected")
        return real(address, family, authkey)

    Listener.__module__ = Client.__module__ = module.__name__
    module.Listener, module.Client = Listener, Client
