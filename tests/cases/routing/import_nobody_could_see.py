#: runtime auto
print("once")
np = __import__("num" + "py")
print(np.ones(2).sum())
#: ran native because `numpy` needs the native runtime, which was noticed when the code ran
# | once
# | 2.0
# | [run again from the start in the native runtime: `numpy` needs the native runtime, which was noticed when the code ran]
