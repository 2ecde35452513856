#: options --limit-output 1 --limit-shown 100
import sys

sys.stderr.write("x" * (1 << 20)) and None
# | [stderr]
# | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# | [... 1048476 bytes omitted ...]
# | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# --- call
import sys

sys.stderr.write("x" * ((1 << 20) + 1)) and None
#: ends limit stderr 1048576
# | [stderr]
# | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# | [... 1048477 bytes omitted ...]
# | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# | [output limit reached: 1048577 of 1048576 bytes written to stderr; print less, or write to a file]
