#: runtime auto
#: session
import numpy as np

a = np.arange(3)
open("f", "w").write("1")
#: ran native because `numpy` needs the native runtime
# | 1
# | [files written: f (1 byte)]
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
print(a.sum(), open("f").read())
open("g", "w").write("22")
#: ran native because the session runs in the native runtime
# | 3 1
# | 2
# | [files written: g (2 bytes)]
# | [session <handle>]
# --- call
#: arguments {"timeout": 0.5}
a += 1
while True: pass
#: ends limit wall 500
#: ran native because the session runs in the native runtime
#: meta sessionLost false
# | Stopped at:
# | File "call-3.py", line 3, in <module>
# |     while True: pass
# | [time limit reached: <n> of 0.5 s wall time; do less in one call, or pass a longer `timeout`]
# | [session <handle>]
# --- call
print(a)
#: ran native because the session runs in the native runtime
# | [1 2 3]
# | [session <handle>]
# --- call
import os

os._exit(0)
#: ran native because the session runs in the native runtime
#: meta sessionLost true
# | [the session's variables are gone, because its interpreter ended; its files are kept]
# | [session <handle>]
# --- call
print(open("g").read())
#: ran wasm because pure Python
# | 22
# | [the variables of earlier calls were gone; the session's files were there]
# | [session <handle>]
