#: options --native off --limit-memory 128
#: runtime wasm
#: session
x = 1
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
y = bytearray(10**9)
#: ends limit memory 134217728
# | Traceback (most recent call last):
# |   File "call-2.py", line 1, in <module>
# |     y = bytearray(10**9)
# | MemoryError
# | [memory limit reached: <n> of 128 MiB; work in smaller pieces; the operator can raise `--limit-memory`]
# | [session <handle>]
# --- call
print(x)
# | 1
# | [session <handle>]
