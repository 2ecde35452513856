import ctypes
import threading
import time

# A name that is no text, and holds what ends a name.
print(ctypes.CDLL(None).prctl(15, b"\xff) 1\xfe"), flush=True)
for _ in range(200):
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
time.sleep(20)
