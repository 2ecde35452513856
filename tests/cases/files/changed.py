#: arguments {"files": [{"path": "given.txt", "text": "given"}, {"path": "kept.txt", "text": "kept"}]}
import os

print(sorted(os.listdir()))
open("new.txt", "w").write("12345")
os.makedirs("a/b")
open("a/b/deep.txt", "w").write("1")
open("given.txt", "a").write(" and changed");
# | ['given.txt', 'kept.txt']
# | [files written: a/b/deep.txt (1 byte), given.txt (17 bytes), new.txt (5 bytes)]
