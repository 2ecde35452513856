#: runtime wasm
#: arguments {"timeout": 1}
# An exception that is handled where it is raised.
from opcode import opmap


def run(handlers, *instructions):
    code = bytes(byte for name, argument in instructions for byte in (opmap[name], argument))
    f = lambda: None
    f.__code__ = f.__code__.replace(co_code=code, co_exceptiontable=handlers, co_stacksize=9)
    f()


print("so far")
run(bytes([0x81, 1, 1, 0]), ("RESUME", 0), ("RAISE_VARARGS", 0))
#: ends limit wall 1000
# | so far
# | Stopped at:
# |   File "main.py", line 15, in <module>
# |   File "main.py", line 11, in run
# |   File "main.py", line 9, in <lambda>
# | [time limit reached: <n> of 1 s wall time; do less in one call, or pass a longer `timeout`]
# --- call
print("alive")
# | alive
