import dataclasses
import inspect
import pickle
import sys


@dataclasses.dataclass
class Point:
    x: int


def helper(a):
    # a comment that getsource keeps
    return a + 1


if __name__ == "__main__":
    print(pickle.loads(pickle.dumps(Point(3))), pickle.loads(pickle.dumps(helper))(1))
    print(inspect.getsource(helper), end="")
    print(sys.modules["__main__"].Point is Point, sys.argv, __file__)
# | Point(x=3) 2
# | def helper(a):
# |     # a comment that getsource keeps
# |     return a + 1
# | True ['main.py'] /mnt/data/main.py
