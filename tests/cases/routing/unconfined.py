#: options --native unconfined
#: runtime auto
import numpy

numpy.ones(2).sum()
#: ran native because `numpy` needs the native runtime
#: meta confined false
# | np.float64(2.0)
# | [the native runtime is not confined: `--native unconfined`]
