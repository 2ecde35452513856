#: options --native off
#: runtime auto
import ctypes
import importlib.util
import pickle

names = ("winreg", "numpy", "nosuch", "tkinter_")
print([importlib.util.find_spec(name) for name in names])
try:
    import numpy
except ImportError as error:
    print(type(error).__name__)
print(ctypes.sizeof(ctypes.c_long))
try:
    ctypes.CDLL("libc.so.6")
except NotImplementedError as error:
    print(error)


def spam():
    pass


spam.__module__, spam.__qualname__ = None, "eggs"
try:
    pickle.dumps(spam)
except pickle.PicklingError as error:
    print(str(error)[-40:])
#: ran wasm because pure Python
# | [None, None, None, None]
# | ModuleNotFoundError
# | 4
# | ctypes.CDLL() needs the native runtime, which is off: `--native off` was given
# | attribute lookup eggs on __main__ failed
