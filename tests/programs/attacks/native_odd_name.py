# native: a process name that is no text, then threads.
import ctypes
import threading

import numpy

ctypes.CDLL(None).prctl(15, b"\xff\xfe\xff) R 1 (", 0, 0, 0)
threading.stack_size(65536)
stop = threading.Event()
while True:
    threading.Thread(target=stop.wait, args=(6,), daemon=True).start()
