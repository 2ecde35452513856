#: options --limit-memory 256
#: runtime native
import mmap

keep = []
while True:
    block = mmap.mmap(-1, 16 << 20)  # shared: RLIMIT_DATA does not see it
    block.write(b"x" * (16 << 20))
    keep.append(block)
#: ends limit memory 268435456
# | [memory limit reached: <n> of 256 MiB; work in smaller pieces; the operator can raise `--limit-memory`]
