"""`multiprocessing.Value` and `Array` without ctypes: one process has its memory to itself."""

from array import array
from typing import Any

_CODES = {
    "c_byte": "b", "c_ubyte": "B", "c_short": "h", "c_ushort": "H", "c_int": "i", "c_uint": "I",
    "c_long": "l", "c_ulong": "L", "c_longlong": "q", "c_ulonglong": "Q", "c_float": "f",
    "c_double": "d", "c_int8": "b", "c_uint8": "B", "c_int16": "h", "c_uint16": "H",
    "c_int32": "i", "c_uint32": "I", "c_int64": "q", "c_uint64": "Q", "c_size_t": "L",
    "c_ssize_t": "l", "c_bool": "?", "c_char": "c", "c_wchar": "u",
}  # fmt: skip
_ZERO: dict[str, Any] = {"?": False, "c": b"\0", "u": "\0", "f": 0.0, "d": 0.0}


def _code(kind: Any) -> str:
    if isinstance(kind, str):
        if len(kind) == 1 and kind in "cubBhHiIlLqQfd":
            return kind
        raise TypeError("this type has no size")
    code = _CODES.get(getattr(kind, "__name__", ""))
    if code is None:
        raise TypeError(f"a shared {kind!r} needs the native runtime")
    return code


def _checked(code: str, value: Any) -> Any:
    """`value` as memory of this type would hold it; raises TypeError where it could not."""
    if code == "?":
        return bool(value)
    if code in "cu":
        if type(value) is not type(_ZERO[code]) or len(value) != 1:
            raise TypeError("one character expected")
        return value
    if code in "fd":
        return array(code, [value])[0]
    bits = 8 * array(code).itemsize
    number = int.__index__(value) & ((1 << bits) - 1)
    is_negative = code.islower() and number >> (bits - 1)
    return number - (1 << bits) if is_negative else number


class _Locked:
    """What a value or array has besides its content."""

    def __init__(self, lock: Any) -> None:
        self._lock = lock
        if lock is not None:
            self.acquire, self.release = lock.acquire, lock.release

    def get_lock(self) -> Any:
        """The lock that belongs to it."""
        return self._lock

    def get_obj(self) -> Any:
        """What is within; the same."""
        return self

    def __enter__(self) -> Any:
        return self._lock.__enter__()

    def __exit__(self, *exception: object) -> None:
        self._lock.__exit__(*exception)


class SharedValue(_Locked):
    """A number or character."""

    def __init__(self, kind: Any, value: Any, lock: Any) -> None:
        super().__init__(lock)
        self._code = _code(kind)
        self._value = _ZERO.get(self._code, 0) if value is None else _checked(self._code, value)

    @property
    def value(self) -> Any:
        """What it is now."""
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self._value = _checked(self._code, value)


class SharedArray(_Locked):
    """Several of them."""

    def __init__(self, kind: Any, size_or_initializer: Any, lock: Any) -> None:
        super().__init__(lock)
        self._code = _code(kind)
        if isinstance(size_or_initializer, int):
            self._items = [_ZERO.get(self._code, 0)] * size_or_initializer
        else:
            items = size_or_initializer
            if isinstance(items, bytes):
                items = [bytes([byte]) for byte in items]
            self._items = [_checked(self._code, item) for item in items]

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        found = self._items[index]
        if isinstance(index, slice) and self._code in "cu":
            return type(_ZERO[self._code])().join(found)
        return found

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, slice):
            self._items[index] = _checked(self._code, value)
            return
        values = [_checked(self._code, item) for item in value]
        if len(values) != len(self._items[index]):
            raise ValueError("Can only assign sequence of same size")
        self._items[index] = values

    @property
    def value(self) -> Any:
        """Of characters: those before the first zero."""
        zero = _ZERO[self._code]
        return type(zero)().join(self._items).partition(zero)[0]


def patch(module: Any) -> None:
    """Adapt `multiprocessing.sharedctypes`."""

    def with_lock(lock: Any, ctx: Any) -> Any:
        if lock is False:
            return None
        return lock if lock not in (True, None) else ctx.RLock()

    def value(typecode_or_type: Any, *args: Any, lock: Any = True, ctx: Any = None) -> Any:
        return SharedValue(typecode_or_type, args[0] if args else None, with_lock(lock, ctx))

    def array_of(kind: Any, size_or_initializer: Any, *, lock: Any = True, ctx: Any = None) -> Any:
        return SharedArray(kind, size_or_initializer, with_lock(lock, ctx))

    module.Value, module.Array = value, array_of
    module.RawValue = lambda kind, *args: value(kind, *args, lock=False)
    module.RawArray = lambda kind, of: array_of(kind, of, lock=False)
