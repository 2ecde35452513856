#: runtime native
import matplotlib.pyplot as plt

plt.plot([0, 1, 2, 3], [0, 1, 4, 9], label="square")
plt.plot([0, 1, 2, 3], [0, 1, 8, 27], label="cube")
plt.title("Powers")
plt.xlabel("n")
plt.ylabel("value")
plt.legend()
plt.show()
print("drawn")
#: images 566x450 png
# | [image 1: 566x450 PNG, "Powers"]
# | line plot "Powers", x "n" -0.15 to 3.15, y "value" -1.35 to 28.35; "square": 4 points for x 0 to 3, first 0, last 9, min 0, max 9; "cube": 4 points for x 0 to 3, first 0, last 27, min 0, max 27.
# | drawn
