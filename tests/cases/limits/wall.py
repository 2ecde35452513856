#: arguments {"timeout": 1}
print("counting")
n = 0
while True: n += 1
#: ends limit wall 1000
# | counting
# | Stopped at:
# | File "main.py", line 4, in <module>
# |     while True: n += 1
# | [time limit reached: <n> of 1 s wall time; do less in one call, or pass a longer `timeout`]
# --- call
#: arguments {"timeout": 1}
import time

print("sleeping")
time.sleep(999)
#: ends limit wall 1000
# | sleeping
# | Stopped at:
# | File "main.py", line 5, in <module>
# |     time.sleep(999)
# | [time limit reached: <n> of 1 s wall time; do less in one call, or pass a longer `timeout`]
