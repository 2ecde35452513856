def f(n):
    return f(n + 1)


try:
    f(0)
except RecursionError as error:
    print(str(error)[:32])
# | maximum recursion depth exceeded
# --- call
import json

d = {}
for _ in range(100000):
    d = {"k": d}
try:
    json.dumps(d)
except RecursionError:
    print("caught")
while d:
    d = d["k"]
# | caught
# --- call
import json

try:
    json.loads("[" * 100000)
except RecursionError:
    print("caught")
# | caught
# --- call
x = []
for _ in range(100000):
    x = [x]
try:
    repr(x)
except RecursionError:
    print("caught")
# | caught
# --- call
import ast

try:
    ast.parse("(" * 5000 + ")" * 5000)
except (SyntaxError, MemoryError, RecursionError):
    print("caught")
# | caught
# --- call
try:
    eval("-" * 50000 + "1")
except (SyntaxError, MemoryError, RecursionError):
    print("caught")
# | caught
# --- call
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


print(depth(900))
# | 900
