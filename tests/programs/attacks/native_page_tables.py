# native: one page in every two megabytes, for the sake of the tables.
import mmap
import time

import numpy

maps = []
for _ in range(4_000):
    sparse = mmap.mmap(-1, 1 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
    for at in range(0, 1 << 30, 2 << 20):
        sparse[at]
    maps.append(sparse)
time.sleep(9)
