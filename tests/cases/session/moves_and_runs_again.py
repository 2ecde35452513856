#: runtime auto
#: session
n = 1
#: ran wasm because pure Python
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
n += 1
open("once", "a").write("x")
np = __import__("numpy")
print(n, np.ones(1), open("once").read())
#: ran native because `numpy` needs the native runtime, which was noticed when the code ran
# | 2 [1.] x
# | [files written: once (1 byte)]
# | [the session moved to the native runtime with its variables: `numpy` needs the native runtime, which was noticed when the code ran; this code was run again from the start]
# | [session <handle>]
