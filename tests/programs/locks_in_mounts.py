import fcntl
import os
import sqlite3
import struct
import time

held = []
for name in ("/fixed/f", "/shared/f"):
    if not os.path.exists(name):
        continue
    file = open(name, "r+" if name.startswith("/shared") else "r")
    held.append(file)
    fcntl.flock(file, fcntl.LOCK_EX)
    fcntl.lockf(file, fcntl.LOCK_SH)
    try:
        # F_OFD_SETLK of a read lock on the whole file
        fcntl.fcntl(file, 37, struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0))
    except OSError:
        pass
base = sqlite3.connect("/mnt/data/db")
base.execute("create table t (x)")
base.execute("insert into t values ('kept')")
base.commit()
if os.path.exists("/shared/f"):
    with sqlite3.connect("/shared/db") as shared:
        shared.execute("create table if not exists t (x)")
        shared.execute("insert into t values (1)")
    open("/shared/ready", "w").close()
time.sleep(1)
print(*sqlite3.connect("/mnt/data/db").execute("select x from t").fetchone())
