import time

start = time.monotonic()
print("begun")
while time.monotonic() - start < 2:
    time.sleep(0.05)
print("done")
