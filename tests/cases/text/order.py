import os
import sys

print("A")
os.write(1, b"B\n")
print("C", end="")
sys.stdout.write("\n")
print("caf\u00e9 \u6f22 \U0001f600")
# | A
# | B
# | C
# | café 漢 😀
# --- call
print("a", end="")
print("b")
print("c\nd")
print("e", end="")
# | ab
# | c
# | d
# | e
