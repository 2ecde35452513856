"""Copies arguments and results by pickle, as they come from one process to another.

What processes share (locks, queues, shared memory, what a manager holds) is not copied.
"""

import io
import pickle
import sys
from typing import Any

_SHARED_MODULES = ("multiprocessing.", f"{__name__.partition('.')[0]}.")

_shared: dict[int, Any] = {}  # by id; kept for ever, so that no id is used again
_ends_made: list[Any] = []  # ends of pipes that were made while reading


def share(value: Any) -> Any:
    """From now on, copies of what holds `value` hold the same object; returns it."""
    _shared[id(value)] = value
    return value


def dumps(value: Any) -> bytes:
    """`value` as bytes that `loads` reads; raises what pickle raises."""
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()


def loads(data: bytes) -> Any:
    """What `dumps` wrote, anew."""
    return pickle.loads(data)


def loads_for_child(data: bytes) -> tuple[Any, list[Any]]:
    """The same, and the ends of pipes in it, which the child has for itself."""
    _ends_made.clear()
    value = loads(data)
    made = list(_ends_made)
    _ends_made.clear()
    return value, made


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if hasattr(type(value), "another_end"):
            share(value)
            return _another_end, (id(value),)
        if id(value) in _shared or _is_shared(value):
            share(value)
            return _shared.__getitem__, (id(value),)
        return NotImplemented


def _another_end(key: int) -> Any:
    end = _shared[key].another_end()
    _ends_made.append(end)
    return end


def _is_shared(value: Any) -> bool:
    if isinstance(value, type):
        return False
    kind = type(value)
    if kind.__module__.startswith(_SHARED_MODULES) and not isinstance(value, BaseException):
        return True
    if kind.__name__ == "ndarray" and not value.flags.owndata:  # over shared memory?
        base = value
        while type(base).__name__ == "ndarray" and base.base is not None:
            base = base.base
        return type(base).__name__ in ("mmap", "memoryview") or _is_of_ctypes(base)
    return _is_of_ctypes(value)


def _is_of_ctypes(value: Any) -> bool:
    module: Any = sys.modules.get("_ctypes")
    if module is None:
        return False
    return isinstance(value, (module._SimpleCData, module.Array, module.Structure))
