#: runtime wasm
t = ()
for _ in range(300_000):
    t = (t,)
hash(t)
#: ends exception RecursionError
# | Traceback (most recent call last):
# |   File "main.py", line 5, in <module>
# |     hash(t)
# |     ~~~~^^^
# | RecursionError: maximum recursion depth exceeded while hashing a tuple
# --- call
# Iterators do not count how deep they are. This one goes over the stack in memory.
import itertools

it = iter(())
for _ in range(300_000):
    it = itertools.chain(it)
list(it)
#: ends crashed
# |   File "main.py", line 7, in <module>
# | [the Python process crashed: its stack overflowed; something is nested too deeply]
# --- call
# And this one over that of calls.
it = iter(())
for _ in range(300_000):
    it = map(abs, it)
list(it)
#: ends crashed
# |   File "main.py", line 5, in <module>
# | [the Python process crashed: its stack overflowed; something is nested too deeply]
# --- call
print(1)
# | 1
