#: runtime native
# Modes and times cannot be changed; what the job sets is remembered.
import os
import pathlib
import shutil
import tarfile
import tempfile
import zipfile

open("a.txt", "w").write("a")
shutil.copy("a.txt", "b.txt")
shutil.copy2("a.txt", "c.txt")
os.mkdir("d")
shutil.copy2("a.txt", "d")
shutil.copytree("d", "e")
pathlib.Path("a.txt").touch()
pathlib.Path("f").touch()
pathlib.Path("a.txt").chmod(0o600)
os.chmod("/mnt/data/a.txt", 0o644)
os.utime("a.txt", (10**9, 10**9))
with tarfile.open("t.tar.gz", "w:gz") as tar:
    tar.add("d")
with tarfile.open("t.tar.gz") as tar:
    tar.extractall("g", filter="data")
with zipfile.ZipFile("z.zip", "w") as archive:
    archive.write("a.txt")
with zipfile.ZipFile("z.zip") as archive:
    archive.extractall("h")
shutil.move("a.txt", os.path.join(tempfile.mkdtemp(), "moved"))
shutil.make_archive("all", "zip", "d")
shutil.rmtree("e")
print(sorted(os.listdir()))
os.chmod("b.txt", 0o750)
os.utime("b.txt", (1000, 2000.5))
print(oct(os.stat("/mnt/data/b.txt").st_mode), os.path.getmtime("b.txt"))
print([(e.stat().st_mtime, oct(e.stat().st_mode)) for e in os.scandir() if e.name == "b.txt"])
shutil.copy2("b.txt", "i.txt")
print(pathlib.Path("i.txt").stat().st_mtime, oct(os.lstat("i.txt").st_mode))
with open("i.txt", "a") as file:
    file.write("b")
print(os.path.getmtime("i.txt") > 10**9)
os.remove("i.txt")
open("j.txt", "w").close()
print(oct(os.stat("j.txt").st_mode))
os.chown("b.txt", -1, os.getgid())
for change in (
    lambda: os.chmod(os.__file__, 0o777),
    lambda: os.chown("b.txt", 0 if os.getuid() else 1, -1),
    lambda: os.utime("missing"),
):
    try:
        change()
    except OSError as error:
        print(type(error).__name__)
# | ['all.zip', 'b.txt', 'c.txt', 'd', 'f', 'g', 'h', 't.tar.gz', 'z.zip']
# | 0o100750 2000.5
# | [(2000.5, '0o100750')]
# | 2000.5 0o100750
# | True
# | 0o100644
# | PermissionError
# | PermissionError
# | FileNotFoundError
# | [files written: all.zip (<n> bytes), b.txt (1 byte), c.txt (1 byte), d/a.txt (1 byte), f (0 bytes), g/d/a.txt (1 byte), h/a.txt (1 byte), j.txt (0 bytes), t.tar.gz (<n> bytes), z.zip (<n> bytes)]
