#: runtime native
import os

os.fork()
#: ends exception PermissionError
# | Traceback (most recent call last):
# |   File "main.py", line 4, in <module>
# |     os.fork()
# |     ~~~~~~~^^
# | PermissionError: [Errno 1] Operation not permitted
# | [note: no process can be started here; the work of `multiprocessing` runs in threads]
