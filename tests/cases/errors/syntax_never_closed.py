values = [1, 2, 3
for value in values:
    print(value)
#: ends exception SyntaxError
# |   File "main.py", line 1
# |     values = [1, 2, 3
# |              ^
# | SyntaxError: '[' was never closed
