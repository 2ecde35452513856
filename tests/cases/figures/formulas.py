#: options --figure-text off
#: runtime native
# What matplotlib's formulas lack is left out, or written as it stands.
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(4, 3))
ax.set_title(r"$\displaystyle x^2 \tfrac12 \foo{y}$")
ax.set_xlabel(r"$\frac{1}{2$ km")
plt.show()
#: images 372x318 png
# | [image 1: 372x318 PNG, "$\\displaystyle x^2 \\tfrac12 \\foo{y}$"]
# | [note: matplotlib cannot draw this formula, so it is written as text: $\frac{1}{2$ km]
