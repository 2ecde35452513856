raise ExceptionGroup("several", [ValueError("one"), TypeError("two")])
#: ends exception ExceptionGroup
# |   + Exception Group Traceback (most recent call last):
# |   |   File "main.py", line 1, in <module>
# |   |     raise ExceptionGroup("several", [ValueError("one"), TypeError("two")])
# |   | ExceptionGroup: several (2 sub-exceptions)
# |   +-+---------------- 1 ----------------
# |     | ValueError: one
# |     +---------------- 2 ----------------
# |     | TypeError: two
# |     +------------------------------------
