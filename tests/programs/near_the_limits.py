import mmap
import os
import tempfile
import threading

import joblib
import numpy as np

# Threads with the usual stacks, that all have memory of their own.
ready, go = threading.Barrier(31), threading.Event()


def work():
    block = np.ones(1 << 17)
    ready.wait()
    go.wait()
    return block


threads = [threading.Thread(target=work) for _ in range(30)]
for thread in threads:
    thread.start()
ready.wait()
go.set()
for thread in threads:
    thread.join()

# 60 MiB of files, among them nameless and mapped ones.
with open("big", "wb") as file:
    os.posix_fallocate(file.fileno(), 0, 20 << 20)
with tempfile.TemporaryFile() as file:
    array = np.memmap(file, dtype="u1", mode="w+", shape=(20 << 20,))
    array[:] = 7
    assert int(array.sum()) == 7 * (20 << 20)
    del array
array = np.memmap("array", dtype="f8", mode="w+", shape=(1 << 20,))
array[:] = 1
array.flush()
assert np.memmap("array", dtype="f8", mode="r").sum() == 1 << 20
joblib.dump(np.arange(1 << 20), "dumped")
loaded = joblib.load("dumped", mmap_mode="r")
assert type(loaded).__name__ == "memmap" and loaded[-1] == (1 << 20) - 1

# Memory that is shared with children, of which there are none.
shared = mmap.mmap(-1, 8 << 20)
shared[:5] = b"abcde"
assert shared[:6] == b"abcde\0" and isinstance(shared, mmap.mmap)
assert mmap.mmap(-1, 10, access=mmap.ACCESS_READ)[:] == bytes(10)
assert len(mmap.mmap(-1, 10, flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)) == 10
