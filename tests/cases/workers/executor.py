from concurrent.futures import ProcessPoolExecutor, as_completed


def halve(n):
    if n % 2:
        raise ValueError(f"{n} is odd")
    return n // 2


if __name__ == "__main__":
    with ProcessPoolExecutor(max_workers=2) as executor:
        print(list(executor.map(halve, [2, 4, 6], chunksize=2)))
        futures = [executor.submit(halve, n) for n in range(3)]
        print(sorted(str(f.exception() or f.result()) for f in as_completed(futures)))
        print(type(executor.submit(lambda: 1).exception()).__name__)
#: in wasm
# | [1, 2, 3]
# | ['0', '1', '1 is odd']
# | PicklingError
# | [note: there are no worker processes here: the work was done in turn, in this one process, and shared its variables]
#: in native
# | [1, 2, 3]
# | ['0', '1', '1 is odd']
# | PicklingError
# | [note: there are no worker processes here: the work ran in threads of this one process and shared its variables]
