#: options --limit-memory 256
#: runtime native
x = bytearray(100 << 20)
assert len(x) == 100 << 20
# | [no output]
# --- call
x = bytearray(256 << 20)
#: ends limit memory 268435456
# | Traceback (most recent call last):
# |   File "main.py", line 1, in <module>
# |     x = bytearray(256 << 20)
# | MemoryError
# | [memory limit reached: <n> MiB in use, and more asked for than is left of 256 MiB; work in smaller pieces; the operator can raise `--limit-memory`]
