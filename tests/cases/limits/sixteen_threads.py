#: runtime native
import threading
import time

threads = [threading.Thread(target=time.sleep, args=(0.2,)) for _ in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads", len(threads))
# | threads 16
