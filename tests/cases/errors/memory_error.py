# Its own words, not the memory limit.
raise MemoryError("the buffer of the game")
#: ends exception MemoryError
# | Traceback (most recent call last):
# |   File "main.py", line 2, in <module>
# |     raise MemoryError("the buffer of the game")
# | MemoryError: the buffer of the game
