#: options --limit-memory 512
#: runtime native
import numpy as np

print("allocating", flush=True)
keep = []
while True:
    keep.append(np.ones(4_000_000))
#: ends limit memory 536870912
# | allocating
# | Traceback (most recent call last):
# |   File "main.py", line 8, in <module>
# |     keep.append(np.ones(4_000_000))
# |                 ~~~~~~~^^^^^^^^^^^
# |   File "site-packages/numpy/_core/numeric.py", line 232, in ones
# |     a = empty(shape, dtype, order, device=device)
# | numpy._core._exceptions._ArrayMemoryError: Unable to allocate 30.5 MiB for an array with shape (4000000,) and data type float64
# | [memory limit reached: <n> MiB in use, and more asked for than is left of 512 MiB; work in smaller pieces; the operator can raise `--limit-memory`]
