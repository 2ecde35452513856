import ctypes
import threading
import time

threading.Thread(target=time.sleep, args=(20,)).start()
# Number of `exit`, which ends one thread: of x86-64, or of arm64.
ctypes.CDLL(None).syscall(60 if "x86" in __import__("platform").machine() else 93, 0)
