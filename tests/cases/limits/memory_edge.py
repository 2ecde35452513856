#: options --limit-memory 128
#: runtime wasm
x = bytearray(24 << 20)
assert len(x) == 24 << 20
# | [no output]
# --- call
x = bytearray(128 << 20)
#: ends limit memory 134217728
# | Traceback (most recent call last):
# |   File "main.py", line 1, in <module>
# |     x = bytearray(128 << 20)
# | MemoryError
# | [memory limit reached: <n> of 128 MiB; work in smaller pieces; the operator can raise `--limit-memory`]
# --- call
print("so far")
x = bytearray(10**9)
#: ends limit memory 134217728
# | so far
# | Traceback (most recent call last):
# |   File "main.py", line 2, in <module>
# |     x = bytearray(10**9)
# | MemoryError
# | [memory limit reached: <n> of 128 MiB; work in smaller pieces; the operator can raise `--limit-memory`]
# --- call
x = []
while True:
    x.append(bytearray(1 << 20))
#: ends limit memory 134217728
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     x.append(bytearray(1 << 20))
# |              ~~~~~~~~~^^^^^^^^^
# | MemoryError
# | [memory limit reached: <n> of 128 MiB; work in smaller pieces; the operator can raise `--limit-memory`]
# --- call
try:
    x = bytearray(200 << 20)
except MemoryError:
    print("caught")
# | caught
