#: runtime auto
#: session
import math

x = [1, 2]


def f(n):
    return n / 0


open("a.txt", "w").write("one")
print(len(x))
#: ran wasm because pure Python
# | 2
# | [files written: a.txt (3 bytes)]
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
x.append(math.floor(2.5))
print(x, open("a.txt").read())
#: ran wasm because pure Python
# | [1, 2, 2] one
# | [session <handle>]
# --- call
# The earlier call's function is shown with its own source lines.
f(1)
#: ends exception ZeroDivisionError
#: ran wasm because pure Python
# | Traceback (most recent call last):
# |   File "call-3.py", line 2, in <module>
# |     f(1)
# |     ~^^^
# |   File "call-1.py", line 9, in f
# |     return n / 0
# |            ~~^~~
# | ZeroDivisionError: division by zero
# | [session <handle>]
# --- call
# An exception costs nothing that was there, and neither does leaving.
import sys

sys.exit(3)
#: ends exit 3
#: ran wasm because pure Python
# | [the program left with exit code 3]
# | [session <handle>]
# --- call
x[-1]
#: ran wasm because pure Python
# | 2
# | [session <handle>]
