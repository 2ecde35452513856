"""What is to be known of an exception, whatever its class says.

A class of the job can override `__class__`, `__traceback__`, `__str__` and the rest. What Python
itself keeps of an exception is read past all that.
"""

from abc import ABCMeta
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from . import deadline, reroute

_slots: dict[str, Any] = {
    name: getattr(BaseException, name).__get__
    for name in ("__traceback__", "__cause__", "__context__", "__suppress_context__")
}
_qualified_name = type.__dict__["__qualname__"].__get__
_module = type.__dict__["__module__"].__get__
# With one of these in its class, an exception need not be what it says.
_OWN = frozenset({*_slots, "__class__", "__getattribute__", "__notes__"})

NO_TEXT = "<exception str() failed>"


def is_a(error: BaseException | None, kind: type[BaseException]) -> bool:
    """Whether `error` really is of this kind."""
    return issubclass(type(error), kind)


def traceback_of(error: BaseException) -> TracebackType | None:
    """Its `__traceback__`."""
    found: TracebackType | None = _slots["__traceback__"](error)
    return found


def behind(error: BaseException) -> tuple[BaseException | None, bool]:
    """What `error` came from, if that is to be shown, and whether it is the direct cause."""
    cause: BaseException | None = _slots["__cause__"](error)
    if cause is not None or _slots["__suppress_context__"](error):
        return cause, True
    return _slots["__context__"](error), False


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """`error`, the one that it came from, and so on, each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = _slots["__cause__"](error) or _slots["__context__"](error)


def is_plain(error: BaseException) -> bool:
    """Whether nothing in the classes of `error` and those behind it disguises them."""
    return all(_is_plain(type(cause)) for cause in causes(error))


def _is_plain(kind: type) -> bool:
    if type(kind) not in (type, ABCMeta):
        return False
    own = (base for base in kind.__mro__ if base.__flags__ & _HEAP_TYPE)
    return all(_OWN.isdisjoint(vars(base)) for base in own)


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: not a class of Python's own


def class_name(error: BaseException) -> str:
    """The name that a traceback shows."""
    kind = type(error)
    name = text(_qualified_name(kind))
    module = _module(kind)
    if not isinstance(module, str):
        return f"<unknown>.{name}"
    return name if module in ("builtins", "__main__") else f"{text(module)}.{name}"


def message(error: BaseException) -> str:
    """`str(error)`; its code may do anything, and be stopped by the deadline."""
    try:
        return text(str(error))
    except (deadline.DeadlineReached, reroute.NeedsNative, MemoryError):
        raise
    except BaseException:
        return NO_TEXT


def text(value: str) -> str:
    """The text itself: methods of a class derived from `str` could tell something else."""
    return value if type(value) is str else str.__getitem__(value, slice(None))
