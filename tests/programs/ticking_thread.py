import threading
import time

count = 0


def tick():
    global count
    while True:
        count += 1
        time.sleep(0.001)


threading.Thread(target=tick, daemon=True).start()
time.sleep(0.1)
print(count > 0)
