import time

print("stubborn", flush=True)
while True:
    try:
        time.sleep(60)
    except BaseException:
        pass
