#: options --limit-wall 1
import time

time.sleep(0.3)
# | [no output]
# --- call
import time

time.sleep(20)
#: ends limit wall 1000
# | Stopped at:
# | File "main.py", line 3, in <module>
# |     time.sleep(20)
# | [time limit reached: <n> of 1 s wall time; do less in one call, or pass a longer `timeout`]
