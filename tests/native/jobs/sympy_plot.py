# images: 1
import sympy
from sympy.plotting import plot

x = sympy.symbols("x")
assert sympy.integrate(x**2, x) == x**3 / 3
plot(sympy.sin(x), (x, 0, 6))
print("ok")
