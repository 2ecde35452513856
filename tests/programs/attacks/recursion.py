# As deep as the stack goes, in Python and in C.
import sys

sys.setrecursionlimit(10**9)


class Deep:
    def __repr__(self):
        return repr([self, Deep()])


print(repr(Deep()))
