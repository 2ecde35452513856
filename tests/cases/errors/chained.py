def parse(text):
    try:
        return int(text)
    except ValueError as error:
        raise KeyError(text) from error


parse("x")
#: ends exception KeyError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in parse
# |     return int(text)
# | ValueError: invalid literal for int() with base 10: 'x'
# |
# | The above exception was the direct cause of the following exception:
# |
# | Traceback (most recent call last):
# |   File "main.py", line 8, in <module>
# |     parse("x")
# |     ~~~~~^^^^^
# |   File "main.py", line 5, in parse
# |     raise KeyError(text) from error
# | KeyError: 'x'
