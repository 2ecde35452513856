#: runtime native
import matplotlib.pyplot as plt

plt.plot([1, 2, 3])
plt.title("Before the error")
raise RuntimeError("after the plot")
#: ends exception RuntimeError
#: images 558x432 png
# | [image 1: 558x432 PNG, "Before the error"]
# | line plot "Before the error", x -0.1 to 2.1, y 0.9 to 3.1; 3 points for x 0 to 2, first 1, last 3, min 1, max 3.
# | Traceback (most recent call last):
# |   File "main.py", line 6, in <module>
# |     raise RuntimeError("after the plot")
# | RuntimeError: after the plot
