# native: long stays in the kernel.
import os

import numpy

fd = os.open("a", os.O_CREAT | os.O_RDWR)
while True:
    os.posix_fallocate(fd, 0, 60 << 20)
    os.fsync(fd)
    os.ftruncate(fd, 0)
