#: runtime native
#: arguments {"timeout": 55}
import numpy as np
from scipy import integrate, interpolate, linalg, optimize, signal, sparse, stats

best = optimize.minimize(optimize.rosen, [1.3, 0.7, 0.8], method="BFGS")
assert np.allclose(best.x, 1, atol=1e-3)
assert np.isclose(integrate.quad(np.sin, 0, np.pi)[0], 2)
assert np.isclose(interpolate.CubicSpline([0, 1, 2], [0, 1, 4])(1.5), 2.25)
assert linalg.svdvals(np.eye(50)).sum() == 50
assert sparse.linalg.spsolve(sparse.eye_array(10, format="csc") * 2, np.ones(10)).sum() == 5
assert stats.ttest_ind([1, 2, 3], [2, 3, 4]).pvalue < 0.5
assert signal.butter(4, 0.2)[0].shape == (5,)
print("ok")
# | ok
