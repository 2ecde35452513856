# native: bytes on disk without a name.
import os

import numpy

held = []
while True:
    fd = os.open("hidden", os.O_CREAT | os.O_RDWR)
    os.unlink("hidden")
    os.posix_fallocate(fd, 0, 60 << 20)
    held.append(fd)
