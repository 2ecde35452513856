#: options --native off
#: runtime auto
print("before")
import numpy
#: ends exception ModuleNotFoundError
#: ran wasm because pure Python
# | before
# | Traceback (most recent call last):
# |   File "main.py", line 4, in <module>
# |     import numpy
# | ModuleNotFoundError: No module named 'numpy': it needs the native runtime, which is off: `--native off` was given
# --- call
try:
    import numpy
except ImportError:
    print("fallback")
#: ran wasm because pure Python
# | fallback
# --- call
#: arguments {"runtime": "native"}
1
#: ends refused
# | the native runtime is off: `--native off` was given
