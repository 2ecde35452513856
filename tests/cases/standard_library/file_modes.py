import os
import shutil
import stat

open("a.txt", "w").close()
os.chmod("a.txt", 0o755)
print(stat.filemode(os.stat("a.txt").st_mode))
shutil.copymode("a.txt", __file__ if os.path.exists(__file__) else "a.txt")
before = os.umask(0o077)
print(oct(os.umask(before)))
# | -rwxr-xr-x
# | 0o77
# | [files written: a.txt (0 bytes)]
