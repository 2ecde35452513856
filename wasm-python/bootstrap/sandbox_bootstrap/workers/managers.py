"""`multiprocessing.Manager` within one process: what it holds is shared as it is."""

from collections.abc import Callable
from typing import Any

from . import copying, running


class _Held:
    """Of a manager's dict or list: what its proxy has besides."""

    def _getvalue(self) -> Any:
        return self.copy()  # type: ignore[attr-defined]


class ManagedDict(_Held, dict[Any, Any]):
    """`Manager().dict()`."""


class ManagedList(_Held, list[Any]):
    """`Manager().list()`."""


_INSTEAD: dict[Any, Callable[..., Any]] = {dict: ManagedDict, list: ManagedList}


def patch(module: Any) -> None:
    """Adapt `multiprocessing.managers`."""
    base = module.BaseManager
    real_register = base.register.__func__

    def start(self: Any, initializer: Any = None, initargs: Any = ()) -> None:
        if self._state.value == module.State.STARTED:
            raise module.ProcessError("Already started server")
        if self._state.value == module.State.SHUTDOWN:
            raise module.ProcessError("Manager has shut down")
        if initializer is not None:
            initializer(*initargs)
        running.say_so()
        self._state.value = module.State.STARTED

    def shutdown(self: Any) -> None:
        self._state.value = module.State.SHUTDOWN

    def register(cls: Any, typeid: str, *args: Any, **kwargs: Any) -> None:
        real_register(cls, typeid, *args, **kwargs)
        _hold_directly(cls, typeid)

    base.start, base.shutdown, base.register = start, shutdown, classmethod(register)
    base.join = lambda self, timeout=None: None
    for manager in (base, *base.__subclasses__()):
        for typeid in manager._registry:
            _hold_directly(manager, typeid)


def _hold_directly(manager: Any, typeid: str) -> None:
    """Have the manager's method of this name make the object itself, not a proxy of it."""
    if not hasattr(manager, typeid):  # registered without a method
        return

    def make(self: Any, /, *args: Any, **kwds: Any) -> Any:
        assert self._state.value == 1, "server not yet started"
        kind = self._registry[typeid][0]
        return copying.share(_INSTEAD.get(kind, kind)(*args, **kwds))

    make.__name__ = make.__qualname__ = typeid
    setattr(manager, typeid, make)
