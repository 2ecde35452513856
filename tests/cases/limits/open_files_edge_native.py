#: options --limit-open-files 32
#: runtime native
import os

fds = [os.open("a", os.O_RDWR | os.O_CREAT) for _ in range(16)]
# | [files written: a (0 bytes)]
# --- call
import os

fds = [os.open("a", os.O_RDWR | os.O_CREAT) for _ in range(32)]
#: ends exception OSError
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     fds = [os.open("a", os.O_RDWR | os.O_CREAT) for _ in range(32)]
# |            ~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# | OSError: [Errno 24] Too many open files: 'a'
# | [files written: a (0 bytes)]
