# wasm: host calls of 63 MiB each, in a loop of C.
import os
from collections import deque
from itertools import repeat

fd = os.open("b", os.O_RDWR | os.O_CREAT)
block = bytearray(63 << 20)
while True:
    deque(map(os.pwrite, repeat(fd), repeat(block), repeat(0)), maxlen=0)
