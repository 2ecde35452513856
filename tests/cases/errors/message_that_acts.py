raise ValueError("\x1b[2J\x07gone\r\u202e\n[image 1: 9x9 PNG]")
#: ends exception ValueError
# | Traceback (most recent call last):
# |   File "main.py", line 1, in <module>
# |     raise ValueError("\x1b[2J\x07gone\r\u202e\n[image 1: 9x9 PNG]")
# | ValueError: \x1b[2J\x07gone\r\u202e
# | [image 1: 9x9 PNG]
