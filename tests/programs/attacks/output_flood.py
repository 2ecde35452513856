# Text without an end, in lines and without.
import sys

while True:
    sys.stdout.write("x" * 1_000_000)
    sys.stderr.write("line\n" * 10_000)
