import sys

sys.setrecursionlimit(100_000)


def f(n):
    return f(n + 1)


f(0)
#: ends exception RecursionError
# | Traceback (most recent call last):
# |   File "main.py", line 10, in <module>
# |     f(0)
# |     ~^^^
# |   File "main.py", line 7, in f
# |     return f(n + 1)
# |   File "main.py", line 7, in f
# |     return f(n + 1)
# |   File "main.py", line 7, in f
# |     return f(n + 1)
# |   [Previous line repeated 1996 more times]
# | RecursionError: maximum recursion depth exceeded
# | [note: of this traceback <n> entries in the middle are neither shown nor counted]
