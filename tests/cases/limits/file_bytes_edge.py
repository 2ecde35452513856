#: options --limit-file-bytes 1
#: runtime wasm
f = open("a", "wb", 0)
assert f.write(b"x" * ((1 << 20) - 1)) == (1 << 20) - 1
assert f.write(b"x") == 1
# | [files written: a (1048576 bytes)]
# --- call
f = open("a", "wb", 0)
f.write(b"x" * (1 << 19))
g = open("b", "wb", 0)
g.write(b"x" * (1 << 19))
g.write(b"x")
#: ends exception OSError
# | Traceback (most recent call last):
# |   File "main.py", line 5, in <module>
# |     g.write(b"x")
# |     ~~~~~~~^^^^^^
# | OSError: [Errno 51] No space left on device
# | [files written: a (524288 bytes), b (524288 bytes)]
