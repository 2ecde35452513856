#: runtime auto
#: session
import enum
import functools
import math
from dataclasses import dataclass, field

SCALE = 3


@dataclass
class Point:
    x: int
    y: float = 0.5
    tags: list = field(default_factory=list)

    def norm(self):
        return math.hypot(self.x, self.y) * SCALE


class Colour(enum.Enum):
    RED = 1


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def adder(k):
    return lambda n: n + k


add5 = adder(5)
shared = [1, 2]
a = {"s": shared}
b = {"s": shared, "p": Point(3, 4.0, ["q"]), "c": Colour.RED}
gen = (i for i in range(3))
log = open("log.txt", "w")
log.write("begun")
log.flush()
#: ran wasm because pure Python
# | [files written: log.txt (5 bytes)]
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
import numpy as np

b["s"].append(3)
print(a["s"], b["p"], b["p"].norm(), b["c"] is Colour.RED, fib(30), add5(1))
print(np.sum(shared), open("log.txt").read())
#: ran native because `numpy` needs the native runtime
#: meta sessionMoved true
# | [1, 2, 3] Point(x=3, y=4.0, tags=['q']) 15.0 True 832040 6
# | 6 begun
# | [the session moved to the native runtime with its variables: `numpy` needs the native runtime]
# | [could not come along: gen (cannot pickle 'generator' object); log (cannot pickle 'TextIOWrapper' instances)]
# | [session <handle>]
# --- call
print(Point(1), np.ones(2), "gen" in globals())
#: ran native because the session runs in the native runtime
#: meta sessionMoved false
# | Point(x=1, y=0.5, tags=[]) [1. 1.] False
# | [session <handle>]
