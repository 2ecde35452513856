#: runtime wasm
#: arguments {"timeout": 1}
# A jump forward by nearly 4 GiB, which would wrap around to itself.
from opcode import opmap


def run(*instructions):
    code = bytes(byte for name, argument in instructions for byte in (opmap[name], argument))
    f = lambda: None
    f.__code__ = f.__code__.replace(co_code=code, co_stacksize=9)
    f()


print("so far")
run(("RESUME", 0), *[("EXTENDED_ARG", 255)] * 3, ("JUMP_FORWARD", 251))
#: ends crashed
# | so far
# |   File "main.py", line 15, in <module>
# |   File "main.py", line 11, in run
# |   File "main.py", line -1, in <lambda>
# | [the Python process crashed: the guest trapped: wasm trap: out of bounds memory access]
# --- call
print("alive")
# | alive
