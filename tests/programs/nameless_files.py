import mmap
import os
import time

HELD, MIB = [], 1 << 20


def hold(number):
    """1 MiB that no directory names."""
    if "HOW" == "unlinked":
        fd = os.open(f"f{number}", os.O_CREAT | os.O_RDWR)
        os.unlink(f"f{number}")
    else:
        fd = os.open(".", os.O_TMPFILE | os.O_RDWR)
    os.write(fd, bytes(MIB))
    if "HOW" == "mapped":
        HELD.append(mmap.mmap(fd, 4096, trackfd=False))
        os.close(fd)


for number in range(20):
    hold(number)
print("held", flush=True)
time.sleep(20)
