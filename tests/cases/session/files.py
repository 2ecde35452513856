#: session
#: arguments {"files": [{"path": "in/data.csv", "text": "a,b\n1,2\n"}]}
print(open("in/data.csv").read(), end="")
open("out.txt", "w").write("12345")
# | a,b
# | 1,2
# | 5
# | [files written: out.txt (5 bytes)]
# | [session <handle>: pass it as `session` to go on; it ends after 30 min without a call]
# --- call
print(1)
# | 1
# | [session <handle>]
# --- call
import os

open("out.txt", "a").write("6")
os.rename("in/data.csv", "b.csv")
# | [files written: b.csv (8 bytes), out.txt (6 bytes)]
# | [session <handle>]
# --- call
#: arguments {"files": [{"path": "b.csv", "text": "new"}]}
print(open("b.csv").read(), sorted(os.listdir()))
# | new ['b.csv', 'in', 'out.txt']
# | [session <handle>]
