#: options --limit-output 1 --limit-shown 100
# Lines of 16 bytes, so that the output ends with a line wherever it is stopped.
while True:
    print("123456789012345")
#: ends limit stdout 1048576
# | 123456789012345
# | 123456789012345
# | 123456789012345
# | 12
# | [... <n> bytes omitted ...]
# | 5
# | 123456789012345
# | 123456789012345
# | 123456789012345
# | [output limit reached: <n> of 1048576 bytes written to stdout; print less, or write to a file]
# | [the whole output, <n> bytes, can be read for a while: sandbox://<handle>/.stdout.txt]
# --- call
import sys

while True:
    sys.stderr.write("e" * 1000)
#: ends limit stderr 1048576
# | [stderr]
# | eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
# | [... <n> bytes omitted ...]
# | eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
# | [output limit reached: <n> of 1048576 bytes written to stderr; print less, or write to a file]
