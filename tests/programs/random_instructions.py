"""Functions of random instructions, jumps above all, with random tables of handlers."""

SEED = 0

import random
import sys
from opcode import opmap

chance = random.Random(SEED)
all = [code for code in opmap.values() if code < 256]
names = """
    JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE FOR_ITER
    SEND RESUME EXTENDED_ARG LOAD_CONST POP_TOP COPY SWAP RETURN_VALUE YIELD_VALUE RERAISE
    RAISE_VARARGS PUSH_NULL CALL NOP
"""
some = [opmap[name] for name in names.split()]


def plain(a=1, *b, c=2, **d):
    x = y = 1
    return lambda: (x, y)


def generator():
    for i in range(3):
        try:
            yield from [i, plain()]
        except Exception:
            pass


def argument():
    return chance.choice([0, 1, 2, 3, 255, chance.randrange(256)])


for _ in range(8):
    size = chance.randrange(2, 40)
    choice = some if chance.random() < 0.7 else all
    code = [opmap["RESUME"], 0]
    for _ in range(size):
        code += chance.choice(choice), argument()
    handlers = []
    for _ in range(chance.randrange(3)):
        start, end, target = chance.randrange(size), chance.randrange(size) + 1, chance.randrange(size)
        handlers += 0x80 | start, end, target, chance.randrange(8)
    function = chance.choice([plain, generator])
    function.__code__ = function.__code__.replace(
        co_code=bytes(code), co_exceptiontable=bytes(handlers), co_stacksize=60
    )
    if chance.random() < 0.2:
        sys.settrace(lambda *_: None)
    try:
        value = function()
        if function is generator:
            for _ in zip(value, range(5)):
                pass
    except Exception:
        pass
