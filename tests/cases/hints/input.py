import sys

try:
    input("name: ")
except EOFError:
    print("no input")
print(repr(sys.stdin.read()))
# | name: no input
# | ''
