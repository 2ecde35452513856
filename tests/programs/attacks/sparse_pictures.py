# Files that claim to be pictures and hold nothing.
import os

for n in range(2_000):
    fd = os.open(f"p{n}.png", os.O_CREAT | os.O_RDWR)
    os.write(fd, b"\x89PNG\r\n\x1a\n")
    os.ftruncate(fd, 16 << 20)
    os.close(fd)
