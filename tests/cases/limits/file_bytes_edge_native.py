#: options --limit-file-bytes 1
#: runtime native
f = open("a", "wb", 0)
assert f.write(b"x" * (1 << 20)) == 1 << 20
# | [files written: a (1048576 bytes)]
# --- call
f = open("a", "wb", 0)
f.write(b"x" * (1 << 20))
f.write(b"x")
#: ends exception OSError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     f.write(b"x")
# |     ~~~~~~~^^^^^^
# | OSError: [Errno 27] File too large
# | [files written: a (1048576 bytes)]
