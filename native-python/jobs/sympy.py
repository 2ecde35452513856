"""sympy: equations, calculus, matrices, exact and long numbers, code for numpy, a plot."""

from importlib.metadata import version

import matplotlib

matplotlib.use("agg")

import numpy as np
import sympy as sp

x, y = sp.symbols("x y")
assert sp.solve(x**2 - 5 * x + 6, x) == [2, 3]
assert sp.solve([x + y - 3, x - y - 1], [x, y]) == {x: 2, y: 1}
assert sp.integrate(sp.exp(-(x**2)), (x, -sp.oo, sp.oo)) == sp.sqrt(sp.pi)
assert sp.diff(sp.sin(x) * sp.exp(x), x) == sp.exp(x) * sp.sin(x) + sp.exp(x) * sp.cos(x)
assert sp.limit(sp.sin(x) / x, x, 0) == 1
assert sp.series(sp.cos(x), x, 0, 5).removeO() == 1 - x**2 / 2 + x**4 / 24
assert sp.factor(x**4 - 1) == (x - 1) * (x + 1) * (x**2 + 1)
assert sp.Matrix([[2, 1], [1, 2]]).eigenvals() == {1: 1, 3: 1}
assert str(sp.N(sp.pi, 40)) == "3.141592653589793238462643383279502884197"
assert sp.factorint(2**31 - 2) == {2: 1, 3: 2, 7: 1, 11: 1, 31: 1, 151: 1, 331: 1}
f = sp.Function("f")
assert sp.dsolve(f(x).diff(x) - f(x)).rhs == sp.Symbol("C1") * sp.exp(x)
assert sp.latex(sp.Rational(1, 3) * x) == r"\frac{x}{3}"
assert np.allclose(sp.lambdify(x, sp.sin(x) ** 2, "numpy")(np.array([0.0, np.pi / 2])), [0, 1])

plot = sp.plot(sp.sin(x) / x, (x, -20, 20), show=False)
plot.save("sinc.png")
with open("sinc.png", "rb") as file:
    assert file.read(4) == b"\x89PNG"

print("ok", "sympy", version("sympy"))
