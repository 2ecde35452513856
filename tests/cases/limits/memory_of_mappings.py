#: options --limit-memory 256
#: runtime native
import mmap

keep = []
while True:
    block = mmap.mmap(-1, 16 << 20)
    block.write(b"x" * (16 << 20))
    keep.append(block)
#: ends limit memory 268435456
# | Traceback (most recent call last):
# |   File "main.py", line 7, in <module>
# |     block = mmap.mmap(-1, 16 << 20)
# | OSError: [Errno 12] Cannot allocate memory
# | [memory limit reached: <n> MiB in use, and more asked for than is left of 256 MiB; work in smaller pieces; the operator can raise `--limit-memory`]
