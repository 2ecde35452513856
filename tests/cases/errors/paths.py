#: runtime native
# No path of the machine is in a traceback or a warning.
import warnings

import numpy as np
import pandas as pd

np.log(np.array([-1.0]))
warnings.warn_explicit("from a library", UserWarning, pd.__file__, 3)
try:
    from numpy import no_such_name
except ImportError as error:
    raise KeyError("x") from error
#: ends exception KeyError
# | [stderr]
# | main.py:8: RuntimeWarning: invalid value encountered in log
# |   np.log(np.array([-1.0]))
# | site-packages/pandas/__init__.py:3: UserWarning: from a library
# |   __docformat__ = "restructuredtext"
# | Traceback (most recent call last):
# |   File "main.py", line 11, in <module>
# |     from numpy import no_such_name
# | ImportError: cannot import name 'no_such_name' from 'numpy' (site-packages/numpy/__init__.py)
# |
# | The above exception was the direct cause of the following exception:
# |
# | Traceback (most recent call last):
# |   File "main.py", line 13, in <module>
# |     raise KeyError("x") from error
# | KeyError: 'x'
