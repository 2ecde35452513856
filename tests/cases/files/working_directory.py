import os
import pathlib

print(os.getcwd(), os.listdir())
pathlib.Path("d/e").mkdir(parents=True)
pathlib.Path("d/e/t.txt").write_text("né", encoding="utf-8")
os.rename("d/e/t.txt", "/mnt/data/u.txt")
print(open("/mnt/data/u.txt", encoding="utf-8").read(), os.path.getsize("u.txt"), sorted(os.listdir("/mnt/data")))
os.symlink("u.txt", "link")
print(os.readlink("link"), pathlib.Path("link").resolve())
try:
    open("missing.txt")
except OSError as error:
    print(type(error).__name__, error.strerror, error.filename)
# | /mnt/data []
# | né 3 ['d', 'u.txt']
# | u.txt /mnt/data/u.txt
# | FileNotFoundError No such file or directory missing.txt
# | [files written: u.txt (3 bytes)]
