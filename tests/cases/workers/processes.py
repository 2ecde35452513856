import sys
from multiprocessing import (
    Array, Event, JoinableQueue, Lock, Manager, Pipe, Process, Queue, Value, current_process,
)


class Counter(Process):
    def __init__(self, end):
        super().__init__(name="counter")
        self.end = end
        self.total = 0

    def run(self):
        self.total = sum(range(self.end))
        print(current_process().name, self.total)


def consume(tasks, results):
    while (task := tasks.get()) is not None:
        results.put(task * 2)


def answer(connection):
    connection.send(connection.recv().upper())
    connection.close()


def add(total, lock, array):
    for _ in range(10):
        with lock:
            total.value += 1
    with array.get_lock():
        array[1] += 2.5


def hold(names, numbers, n):
    names[n] = str(n)
    numbers.append(n)


def serve(queue):
    while True:
        queue.get()
        queue.task_done()


def main():
    counter = Counter(5)
    counter.start()
    counter.join()
    print(counter.total, counter.exitcode, counter.is_alive())

    tasks, results = Queue(), Queue()
    consumer = Process(target=consume, args=(tasks, results))
    consumer.start()
    for n in (1, 2, None):
        tasks.put(n)
    consumer.join()
    print([results.get() for _ in range(2)], results.empty())

    here, there = Pipe()
    child = Process(target=answer, args=(there,))
    child.start()
    there.close()
    here.send("hello")
    print(here.recv())
    child.join()
    try:
        here.recv()
    except EOFError:
        print("end")

    total, lock, array = Value("i", 0), Lock(), Array("d", [0, 1])
    children = [Process(target=add, args=(total, lock, array)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    print(total.value, array[:])

    with Manager() as manager:
        names, numbers = manager.dict(), manager.list()
        children = [Process(target=hold, args=(names, numbers, n)) for n in range(3)]
        for child in children:
            child.start()
        for child in children:
            child.join()
        print(sorted(names.items()), sorted(numbers))

    queue = JoinableQueue()
    Process(target=serve, args=(queue,), daemon=True).start()
    queue.put(1)
    queue.join()
    event = Event()
    Process(target=event.set).start()
    print("set", event.wait(10))

    child = Process(target=sys.exit, args=(3,))
    child.start()
    child.join()
    print("left with", child.exitcode)
    child = Process(target=[].pop, name="poor")
    child.start()
    child.join()
    print("failed with", child.exitcode)


if __name__ == "__main__":
    main()
#: in wasm
# | counter 10
# | 0 0 False
# | [2, 4] True
# | HELLO
# | end
# | 40 [0.0, 11.0]
# | [(0, '0'), (1, '1'), (2, '2')] [0, 1, 2]
# | set True
# | left with 3
# | failed with 1
# | [stderr]
# | Process poor:
# | Traceback (most recent call last):
# |   File "python3.13/multiprocessing/process.py", line 108, in run
# |     self._target(*self._args, **self._kwargs)
# |     ~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# | IndexError: pop from empty list
# | [note: there are no worker processes here: the work was done in turn, in this one process, and shared its variables]
#: in native
# | counter 10
# | 0 0 False
# | [2, 4] True
# | HELLO
# | end
# | 40 [0.0, 11.0]
# | [(0, '0'), (1, '1'), (2, '2')] [0, 1, 2]
# | set True
# | left with 3
# | failed with 1
# | [stderr]
# | Process poor:
# | Traceback (most recent call last):
# |   File "python3.13/multiprocessing/process.py", line 108, in run
# |     self._target(*self._args, **self._kwargs)
# |     ~~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# | IndexError: pop from empty list
# | [note: there are no worker processes here: the work ran in threads of this one process and shared its variables]
