#: runtime native
import numpy as np

a = np.arange(6).reshape(2, 3)
print(a @ a.T)
a.mean(axis=0)
# | [[ 5 14]
# |  [14 50]]
# | array([1.5, 2.5, 3.5])
