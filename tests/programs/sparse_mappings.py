import mmap

GIB = 1 << 30
held = []
try:
    while True:
        sparse = mmap.mmap(-1, GIB, mmap.MAP_PRIVATE, mmap.PROT_READ)
        held.append(sparse)
        # A page in every table of pages.
        for place in range(0, GIB, 2 << 20):
            sparse[place]
except OSError as error:
    assert error.errno == 12, error
print(len(held))
