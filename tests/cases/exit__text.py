import sys

sys.exit("no input file")
# fails
# | [stderr]
# | no input file
# | [the program left with exit code 1]
