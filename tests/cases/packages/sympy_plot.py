#: runtime native
#: arguments {"timeout": 55}
import sympy
from sympy.plotting import plot

x = sympy.symbols("x")
assert sympy.integrate(x**2, x) == x**3 / 3
plot(sympy.sin(x), (x, 0, 6))
print("ok")
#: images 630x473 png
# | [image 1: 630x473 PNG]
# | line plot, x "$x$" -0.3 to 6.3, y "$f{\left(x \right)}$" -1.1 to 1.1; "sin(x)": 1000 points for x 0 to 6, first 0, last -0.2794, min -1, max 1.
# | ok
