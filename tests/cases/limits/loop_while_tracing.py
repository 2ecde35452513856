#: runtime wasm
#: arguments {"timeout": 1}
# A function that traces, and whose own code is prepared for being traced.
import sys


def trace(*_):
    while True: pass


print("so far")
sys.settrace(trace)
(lambda: 0)()
#: ends limit wall 1000
# | so far
# | Stopped at:
# | File "main.py", line 0, in <module>
# |   File "main.py", line 8, in trace
# |     while True: pass
# | [time limit reached: <n> of 1 s wall time; do less in one call, or pass a longer `timeout`]
# --- call
print("alive")
# | alive
