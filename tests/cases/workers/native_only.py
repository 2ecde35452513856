#: runtime native
# What runs at the same time, and memory that is shared.
import time
from multiprocessing import Barrier, Process, Queue, TimeoutError, shared_memory
from multiprocessing.pool import Pool, ThreadPool

from joblib import Parallel, delayed


def meet(barrier, queue, n):
    barrier.wait(20)
    queue.put(n)


def fill(name):
    memory = shared_memory.SharedMemory(name=name)
    memory.buf[:3] = b"abc"
    memory.close()


def endless():
    while True:
        pass


def square(n):
    return n * n


barrier, queue = Barrier(3), Queue()
children = [Process(target=meet, args=(barrier, queue, n)) for n in range(3)]
for child in children:
    child.start()
print(sorted(queue.get() for _ in children))

memory = shared_memory.SharedMemory(create=True, size=8)
child = Process(target=fill, args=(memory.name,))
child.start()
child.join()
print(bytes(memory.buf[:4]))
memory.close()
memory.unlink()

child = Process(target=endless)
child.start()
time.sleep(0.1)
print(child.is_alive())
child.terminate()
child.join()
print(child.is_alive(), child.exitcode)

children = [Process(target=square, args=(n,)) for n in range(40)]
for child in children:
    child.start()
for child in children:
    child.join()
print({child.exitcode for child in children})

with Pool(2) as pool:
    try:
        pool.apply_async(time.sleep, (60,)).get(0.1)
    except TimeoutError:
        print("not in time")
print(ThreadPool(2).map(square, range(3)))
print(Parallel(n_jobs=-1)(delayed(square)(n) for n in range(4)))
print(Parallel(n_jobs=2, backend="multiprocessing")(delayed(square)(n) for n in range(4)))
# | [0, 1, 2]
# | b'abc\x00'
# | True
# | False -15
# | {0}
# | not in time
# | [0, 1, 4]
# | [0, 1, 4, 9]
# | [0, 1, 4, 9]
# | [note: there are no worker processes here: the work ran in threads of this one process and shared its variables]
