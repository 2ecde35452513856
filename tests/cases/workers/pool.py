import multiprocessing
from multiprocessing import Pool

kept = [0]


def square(n):
    return n * n


def fail(n):
    if n == 2:
        raise ValueError(f"cannot take {n}")
    return n


def change(given):
    given.append(1)
    return given


def prepare(word):
    print("prepared", word, multiprocessing.current_process().name)


if __name__ == "__main__":
    with Pool(2) as pool:
        print(len(pool._pool))
        print(pool.map(square, range(5)), pool.apply(pow, (2, 5)), pool.starmap(pow, [(2, 3)]))
        print(list(pool.imap(square, [3, 4])), sorted(pool.imap_unordered(square, range(3))))
        done = []
        result = pool.apply_async(square, (7,), callback=done.append)
        print(result.get(timeout=10), result.ready(), result.successful(), done)
        failed = pool.map_async(fail, [1, 2], error_callback=done.append)
        failed.wait()
        print(failed.successful(), repr(done[-1]))
        print(pool.map(change, [kept]), kept)
        try:
            pool.map(lambda n: n, [1])
        except Exception as error:
            print(type(error).__name__)
    try:
        pool.map(square, [1])
    except ValueError as error:
        print(error)
    with multiprocessing.get_context("spawn").Pool(1, prepare, ("once",), 1) as pool:
        print(pool.map(square, [1, 2]))
    print(Pool(1).map(fail, [2]))
#: in wasm
#: ends exception ValueError
# | 2
# | [0, 1, 4, 9, 16] 32 [8]
# | [9, 16] [0, 1, 4]
# | 49 True True [49]
# | False ValueError('cannot take 2')
# | [[0, 1]] [0]
# | PicklingError
# | Pool not running
# | prepared once SpawnPoolWorker-<n>
# | [1, 4]
# | Traceback (most recent call last):
# |   File "main.py", line 48, in <module>
# |     print(Pool(1).map(fail, [2]))
# |           ~~~~~~~~~~~^^^^^^^^^^^
# |   File "main.py", line 13, in fail
# |     raise ValueError(f"cannot take {n}")
# | ValueError: cannot take 2
# | [note: there are no worker processes here: the work was done in turn, in this one process, and shared its variables]
#: in native
#: ends exception ValueError
# | 2
# | [0, 1, 4, 9, 16] 32 [8]
# | [9, 16] [0, 1, 4]
# | 49 True True [49]
# | False ValueError('cannot take 2')
# | [[0, 1]] [0]
# | PicklingError
# | Pool not running
# | prepared once SpawnPoolWorker-<n>
# | [1, 4]
# | Traceback (most recent call last):
# |   File "main.py", line 48, in <module>
# |     print(Pool(1).map(fail, [2]))
# |           ~~~~~~~~~~~^^^^^^^^^^^
# |   File "main.py", line 13, in fail
# |     raise ValueError(f"cannot take {n}")
# | ValueError: cannot take 2
# | [note: there are no worker processes here: the work ran in threads of this one process and shared its variables]
