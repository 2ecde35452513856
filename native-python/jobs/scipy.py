"""scipy: a fit, minima and roots, integrals, signals, sparse systems, statistics, images."""

from importlib.metadata import version

import numpy as np
from scipy import (
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    special,
    stats,
)
from scipy.sparse import linalg as sparse_linalg

rng = np.random.default_rng(11)

x = np.linspace(0, 4, 80)
noisy = 2.5 * np.exp(-1.3 * x) + 0.5 + rng.normal(0, 0.01, x.size)
fitted, _ = optimize.curve_fit(lambda t, a, b, c: a * np.exp(-b * t) + c, x, noisy, p0=(1, 1, 1))
assert np.allclose(fitted, (2.5, 1.3, 0.5), atol=0.05)
for method in ("BFGS", "L-BFGS-B", "Nelder-Mead", "SLSQP", "trust-constr"):
    found = optimize.minimize(optimize.rosen, [1.3, 0.7, 0.8], method=method)
    assert np.allclose(found.x, 1, atol=1e-2), method
assert abs(optimize.brentq(lambda t: t**3 - 2, 0, 2) - 2 ** (1 / 3)) < 1e-9
best = optimize.linprog([-1, -2], A_ub=[[1, 1], [3, 1]], b_ub=[4, 6])
assert abs(best.fun + 8) < 1e-9
rows, columns = optimize.linear_sum_assignment([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
assert columns.tolist() == [1, 0, 2]

assert abs(integrate.quad(lambda t: np.exp(-t * t), -np.inf, np.inf)[0] - np.sqrt(np.pi)) < 1e-8
path = integrate.solve_ivp(lambda t, y: [y[1], -y[0]], (0, np.pi), [0, 1], rtol=1e-8, atol=1e-8)
assert abs(path.y[0, -1]) < 1e-5
stiff = integrate.solve_ivp(lambda t, y: -1000 * (y - np.cos(t)), (0, 1), [0], method="LSODA")
assert stiff.success

spline = interpolate.CubicSpline(x, np.sin(x))
assert abs(spline(1.234) - np.sin(1.234)) < 1e-5
tone = np.sin(2 * np.pi * 50 * np.arange(1000) / 1000)
low = signal.filtfilt(*signal.butter(4, 10, fs=1000), tone)
assert np.abs(low[100:-100]).max() < 0.05
peaks, _ = signal.find_peaks(tone, height=0.9)
assert len(peaks) == 50
assert np.allclose(fft.irfft(fft.rfft(tone)), tone)

matrix = rng.normal(size=(30, 30)) + 10 * np.eye(30)
assert np.allclose(linalg.lu_solve(linalg.lu_factor(matrix), matrix @ np.ones(30)), 1)
assert np.allclose(linalg.expm(np.zeros((3, 3))), np.eye(3))
triangle, unitary = linalg.schur(matrix)
assert np.allclose(unitary @ triangle @ unitary.T, matrix)
laplace = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(200, 200), format="csc")
assert np.allclose(laplace @ sparse_linalg.spsolve(laplace, np.ones(200)), 1)
largest = sparse_linalg.eigsh(laplace, k=1, return_eigenvectors=False)[0]
assert abs(largest - 4) < 1e-2
assert sparse.csgraph.shortest_path(np.array([[0, 1, 0], [0, 0, 2], [0, 0, 0]]))[0, 2] == 3

assert abs(special.gamma(5) - 24) < 1e-9 and abs(special.jv(0, 2.404825557695773)) < 1e-9
assert stats.ttest_ind(rng.normal(0, 1, 200), rng.normal(1, 1, 200)).pvalue < 1e-6
assert abs(stats.norm.ppf(0.975) - 1.959963985) < 1e-6
assert abs(stats.linregress(x, 3 * x + 1).slope - 3) < 1e-9
points = rng.uniform(size=(500, 3))
tree = spatial.KDTree(points)
distance, index = tree.query(points[17], k=2)
assert index[0] == 17 and distance[0] == 0
assert abs(spatial.ConvexHull([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]]).volume - 1) < 1e-12
blob = np.zeros((40, 40))
blob[5:9, 5:9] = blob[20:30, 20:30] = 1
assert ndimage.label(blob)[1] == 2
assert abs(ndimage.gaussian_filter(blob, 1).sum() - blob.sum()) < 1e-6

print("ok", "scipy", version("scipy"))
