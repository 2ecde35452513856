#: options --limit-open-files 16
#: runtime wasm
import os

fds = [os.open("a", os.O_RDWR | os.O_CREAT) for _ in range(12)]
# | [files written: a (0 bytes)]
# --- call
import os

fds = [os.open("a", os.O_RDWR | os.O_CREAT) for _ in range(13)]
#: ends exception OSError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     fds = [os.open("a", os.O_RDWR | os.O_CREAT) for _ in range(13)]
# |            ~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# | OSError: [Errno 33] No file descriptors available: 'a'
# | [files written: a (0 bytes)]
