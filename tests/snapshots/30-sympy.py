import sympy

x = sympy.symbols("x")
print(sympy.integrate(x**2, x), sympy.solve(x**2 - 4, x))
