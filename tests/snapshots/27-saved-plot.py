# only: native
import matplotlib.pyplot as plt

plt.scatter([1, 2, 3], [3, 1, 2])
plt.savefig("points.png")
print("saved")
