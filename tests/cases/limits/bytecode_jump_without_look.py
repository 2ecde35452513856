#: runtime wasm
#: arguments {"timeout": 1}
# The meter counts where Python's compiler can have code come back to. This code comes back to
# itself without a look at signals, as `await` does.
from opcode import opmap


def run(*instructions):
    code = bytes(byte for name, argument in instructions for byte in (opmap[name], argument))
    f = lambda: None
    f.__code__ = f.__code__.replace(co_code=code, co_stacksize=9)
    f()


print("so far")
run(("RESUME", 0), ("JUMP_BACKWARD_NO_INTERRUPT", 1))
#: ends limit wall 1000
# | so far
# | Stopped at:
# |   File "main.py", line 16, in <module>
# |   File "main.py", line 12, in run
# |   File "main.py", line 10, in <lambda>
# | [time limit reached: <n> of 1 s wall time; do less in one call, or pass a longer `timeout`]
# --- call
print("alive")
# | alive
