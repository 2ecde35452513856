#: runtime native
import os

started = 0
try:
    while True:
        if os.fork() == 0:
            while True:
                pass
        started += 1
except OSError as error:
    print("stopped at", started, type(error).__name__)
# | stopped at 0 PermissionError
