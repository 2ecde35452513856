print("never")
x = (1 +
y = 2
#: ends exception SyntaxError
# |   File "main.py", line 2
# |     x = (1 +
# |         ^
# | SyntaxError: '(' was never closed
