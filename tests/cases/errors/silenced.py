import builtins
import sys


def nothing(*_arguments, **_options):
    return None


sys.excepthook = nothing
sys.stderr = None
sys.modules["traceback"] = None
for name in ("repr", "str", "len", "isinstance", "print", "open", "__import__"):
    setattr(builtins, name, nothing)
{}["key"]
#: ends exception KeyError
# | Traceback (most recent call last):
# |   File "main.py", line 14, in <module>
# |     {}["key"]
# |     ~~^^^^^^^
# | KeyError: 'key'
# --- call
import sys

sys.excepthook = None
raise ValueError("told")
#: ends exception ValueError
# | Error in sys.excepthook:
# | TypeError: 'NoneType' object is not callable
# |
# | Original exception was:
# | Traceback (most recent call last):
# |   File "main.py", line 4, in <module>
# |     raise ValueError("told")
# | ValueError: told
