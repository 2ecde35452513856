#: options --limit-cpu 1
#: runtime native
import time

while time.process_time() < 0.5:
    pass
# | [no output]
# --- call
while True: pass
#: ends limit cpu 1000
# | [CPU limit reached: <n> of 1 s CPU time; do less in one call; the operator can raise `--limit-cpu`]
