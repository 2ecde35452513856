# native: threads that fault pages in and give them back.
import mmap
import threading

import numpy


def churn():
    while True:
        private = mmap.mmap(-1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        for at in range(0, 32 << 20, 4096):
            private[at] = 1
        private.close()


for _ in range(16):
    threading.Thread(target=churn).start()
