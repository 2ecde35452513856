name = input("Your name:")
#: ends exception EOFError
# | Your name:
# | Traceback (most recent call last):
# |   File "main.py", line 1, in <module>
# |     name = input("Your name:")
# | EOFError: EOF when reading a line (nobody can type here: write the value into the code)
