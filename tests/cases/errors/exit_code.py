import sys

print("before")
sys.exit(3)
#: ends exit 3
# | before
# | [the program left with exit code 3]
# --- call
import sys

sys.exit(213)
#: ends exit 213
# | [the program left with exit code 213]
