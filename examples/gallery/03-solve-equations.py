# Asked: Solve x³ - 6x² + 11x - 6 = 0, and x + y = 10 with xy = 21. Show exact values.
from sympy import Eq, factor, solve, symbols

x, y = symbols("x y")
cubic = x**3 - 6 * x**2 + 11 * x - 6
print("factors:", factor(cubic))
print("roots:  ", solve(cubic, x))
print("pairs:  ", solve([Eq(x + y, 10), Eq(x * y, 21)], [x, y]))
print("and for x² = 2x + 1:", solve(Eq(x**2, 2 * x + 1), x))
