import sympy

x = sympy.symbols("x")
print(sympy.integrate(x**2, x), sympy.solve(x**2 - 4, x))
# | x**3/3 [-2, 2]
