# only: native
import numpy as np

a = np.arange(6).reshape(2, 3)
print(a @ a.T)
a.mean(axis=0)
