#: runtime wasm
#: session
x = 41
open("kept.txt", "w").write("k")
# | 1
# | [files written: kept.txt (1 byte)]
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
#: arguments {"timeout": 0.5}
x += 1
while True: pass
#: ends limit wall 500
#: meta sessionLost false
# | Stopped at:
# | File "call-2.py", line 3, in <module>
# |     while True: pass
# | [time limit reached: <n> of 0.5 s wall time; do less in one call, or pass a longer `timeout`]
# | [session <handle>]
# --- call
print(x)
# | 42
# | [session <handle>]
# --- call
#: arguments {"timeout": 0.5}
while True:
    try:
        while True: pass
    except BaseException:
        pass
#: ends limit wall 500
#: meta sessionLost true
# | Stopped at:
# | File "call-4.py", line 4, in <module>
# |     while True: pass
# | [time limit reached: <n> of 0.5 s wall time; do less in one call, or pass a longer `timeout`]
# | [the session's variables are gone, because its interpreter ended; its files are kept]
# | [session <handle>]
# --- call
print("x" in globals(), open("kept.txt").read())
# | False k
# | [the variables of earlier calls were gone; the session's files were there]
# | [session <handle>]
