import pandsa
#: ends exception ModuleNotFoundError
# | Traceback (most recent call last):
# |   File "main.py", line 1, in <module>
# |     import pandsa
# | ModuleNotFoundError: No module named 'pandsa'
# | [note: no module `pandsa` here; near names that exist: pandas]
