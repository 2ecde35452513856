"""Gathers the parent's memory in huge pages.

A fork copies an entry for each page that the parent has written to, and the end of a child drops
them one by one: together half of the time of a small job. Of a huge page there is one entry.
"""

import ctypes
import re

MADV_COLLAPSE = 25  # Linux 6.1; older kernels refuse it, and all stays as it is
HUGE = 2 << 20  # bytes of a huge page; where they are larger, it is refused as well

# A writable private mapping of no file, or the heap.
_ANONYMOUS = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) rw-p \S+ 00:00 0 *(?:\[heap\])?$", re.MULTILINE)


def gather() -> None:
    """Put the memory that children will share in huge pages, as far as the kernel does that."""
    madvise = ctypes.CDLL(None).madvise
    with open("/proc/self/maps") as file:
        mappings = [(int(a, 16), int(b, 16)) for a, b in _ANONYMOUS.findall(file.read())]
    for start, end in mappings:
        for at in range(-(-start // HUGE) * HUGE, end // HUGE * HUGE, HUGE):
            madvise(ctypes.c_void_p(at), ctypes.c_size_t(HUGE), MADV_COLLAPSE)
