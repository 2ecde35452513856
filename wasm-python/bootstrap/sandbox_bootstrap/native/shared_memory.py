"""`mmap.mmap(-1, n)` asks for memory that is shared with children, and a job has none.

The filter refuses shared anonymous memory, because no limit of the kernel counts it. Within one
process private memory behaves the same.
"""

import mmap
from typing import Any

_real = mmap.mmap
_KIND = mmap.MAP_SHARED | mmap.MAP_PRIVATE
_READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
_PROTECTION = {mmap.ACCESS_READ: mmap.PROT_READ, mmap.ACCESS_WRITE: _READ_WRITE}


class _Mmap(_real):
    def __new__(
        cls,
        fileno: int,
        length: int,
        flags: int = mmap.MAP_SHARED,
        prot: int = _READ_WRITE,
        access: int = mmap.ACCESS_DEFAULT,
        *args: Any,
        **kwargs: Any,
    ) -> "_Mmap":
        if fileno == -1 and flags & _KIND == mmap.MAP_SHARED:
            is_plain = flags == mmap.MAP_SHARED and prot == _READ_WRITE
            if access == mmap.ACCESS_DEFAULT or (is_plain and access in _PROTECTION):
                prot = _PROTECTION.get(access, prot)
                access = mmap.ACCESS_DEFAULT
                flags = flags & ~_KIND | mmap.MAP_PRIVATE
        return super().__new__(cls, fileno, length, flags, prot, access, *args, **kwargs)


def install() -> None:
    """Put our class where programs look for it."""
    _Mmap.__name__ = _Mmap.__qualname__ = "mmap"
    _Mmap.__module__ = "mmap"
    _Mmap.__doc__ = _real.__doc__
    mmap.mmap = _Mmap  # type: ignore[misc]
