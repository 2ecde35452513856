import sys

print("checking")
sys.exit("nothing to check")
#: ends exit 1
# | checking
# | [stderr]
# | nothing to check
# | [the program left with exit code 1]
