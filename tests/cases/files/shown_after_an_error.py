#: runtime wasm
#: session
open("a.csv", "w").write("a,b\n1,2\n")
print("done")
# | done
# | [files written: a.csv (8 bytes)]
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
#: arguments {"show_files": ["a.csv"]}
1 / 0
#: ends exception ZeroDivisionError
# | Traceback (most recent call last):
# |   File "call-2.py", line 2, in <module>
# |     1 / 0
# |     ~~^~~
# | ZeroDivisionError: division by zero
# | [file a.csv]
# | a,b
# | 1,2
# | [session <handle>]
