print("never")
x = (1 +
y = 2
# fails
# |   File "main.py", line 2
# |     x = (1 +
# |         ^
# | SyntaxError: '(' was never closed
