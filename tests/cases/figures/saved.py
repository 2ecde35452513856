#: runtime native
import matplotlib.pyplot as plt

plt.scatter([1, 2, 3], [3, 1, 2])
plt.savefig("points.png")
print("saved")
#: images 558x411 png
# | saved
# | [image 1: 558x411 PNG, file /mnt/data/points.png]
# | scatter plot, x 0.9 to 3.1, y 0.9 to 3.1; 3 points, x 1 to 3, y 1 to 3.
# | [files written: points.png (<n> bytes)]
