import sys

print("before")
sys.exit(3)
# fails
# | before
# | [the program left with exit code 3]
