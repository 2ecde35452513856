import os

print(1)
os._exit(7)
#: ends exit 7
# | 1
# | [the program left with exit code 7]
# --- call
import os

print(1)
os._exit(0)
# | 1
