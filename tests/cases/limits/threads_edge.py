#: options --limit-threads 4
#: runtime native
import threading
import time

for _ in range(3):
    threading.Thread(target=time.sleep, args=(0.5,)).start()
# | [no output]
# --- call
import threading
import time

for _ in range(4):
    threading.Thread(target=time.sleep, args=(20,)).start()
#: ends limit threads 4
# | [thread limit reached: 5 of 4 threads; start fewer threads]
