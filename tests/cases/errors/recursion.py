def depth(n):
    return depth(n + 1)


depth(0)
#: in wasm
#: ends exception RecursionError
# | Traceback (most recent call last):
# |   File "main.py", line 5, in <module>
# |     depth(0)
# |     ~~~~~^^^
# |   File "main.py", line 2, in depth
# |     return depth(n + 1)
# |   File "main.py", line 2, in depth
# |     return depth(n + 1)
# |   File "main.py", line 2, in depth
# |     return depth(n + 1)
# |   [Previous line repeated 994 more times]
# | RecursionError: maximum recursion depth exceeded
#: in native
#: ends exception RecursionError
# | Traceback (most recent call last):
# |   File "main.py", line 5, in <module>
# |     depth(0)
# |     ~~~~~^^^
# |   File "main.py", line 2, in depth
# |     return depth(n + 1)
# |   File "main.py", line 2, in depth
# |     return depth(n + 1)
# |   File "main.py", line 2, in depth
# |     return depth(n + 1)
# |   [Previous line repeated 992 more times]
# | RecursionError: maximum recursion depth exceeded
