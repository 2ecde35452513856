# native: memory that is in no resident set.
import mmap
import time

import numpy

maps = []
for _ in range(60):
    shared = mmap.mmap(-1, 64 << 20)
    for at in range(0, 64 << 20, 4096):
        shared[at] = 1
    shared.madvise(mmap.MADV_DONTNEED)
    maps.append(shared)
time.sleep(9)
