kept = None
try:
    1 / 0
except ZeroDivisionError as error:
    kept = error
raise kept
#: ends exception ZeroDivisionError
# | Traceback (most recent call last):
# |   File "main.py", line 6, in <module>
# |     raise kept
# |   File "main.py", line 3, in <module>
# |     1 / 0
# |     ~~^~~
# | ZeroDivisionError: division by zero
