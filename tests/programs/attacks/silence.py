# Takes away what an error would be told with.
import builtins
import sys

sys.excepthook = None
sys.stderr = None
for name in ("repr", "str", "isinstance", "len", "print", "open", "getattr", "type"):
    setattr(builtins, name, None)
raise ValueError("still told")
