import sys

print("out")
print("err", file=sys.stderr)
print("more")
# | out
# | more
# | [stderr]
# | err
