#: options --limit-memory 512
#: runtime native
import numpy

assert numpy.ones(8 << 20).sum() == 8 << 20
# | [no output]
# --- call
import numpy

numpy.ones(512 << 20)
#: ends limit memory 536870912
# | Traceback (most recent call last):
# |   File "main.py", line 3, in <module>
# |     numpy.ones(512 << 20)
# |     ~~~~~~~~~~^^^^^^^^^^^
# |   File "site-packages/numpy/_core/numeric.py", line 232, in ones
# |     a = empty(shape, dtype, order, device=device)
# | numpy._core._exceptions._ArrayMemoryError: Unable to allocate 4.00 GiB for an array with shape (536870912,) and data type float64
# | [memory limit reached: <n> MiB in use, and more asked for than is left of 512 MiB; work in smaller pieces; the operator can raise `--limit-memory`]
