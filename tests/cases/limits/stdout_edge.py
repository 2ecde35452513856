#: options --limit-output 1 --limit-shown 100
import sys

sys.stdout.write("x" * (1 << 20)) and None
# | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# | [... 1048476 bytes omitted ...]
# | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# | [the whole output, 1048576 bytes, can be read for a while: sandbox://<handle>/.stdout.txt]
# --- call
import sys

sys.stdout.write("x" * ((1 << 20) + 1)) and None
#: ends limit stdout 1048576
# | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# | [... 1048477 bytes omitted ...]
# | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
# | [output limit reached: 1048577 of 1048576 bytes written to stdout; print less, or write to a file]
# | [the whole output, 1048577 bytes, can be read for a while: sandbox://<handle>/.stdout.txt]
