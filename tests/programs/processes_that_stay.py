import os
import time

if os.fork() == 0:
    time.sleep(600)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
print("parent done")
os._exit(0)
