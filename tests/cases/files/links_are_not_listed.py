#: runtime native
import os

open("new.txt", "w").write("12345")
os.symlink("/etc/passwd", "link.png")
os.symlink("/", "root")
# | [files written: new.txt (5 bytes)]
