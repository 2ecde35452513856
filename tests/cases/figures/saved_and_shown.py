#: runtime native
import matplotlib.pyplot as plt

plt.plot([1, 2])
plt.savefig("plot.png")
plt.show()
#: images 549x411 png
# | [image 1: 549x411 PNG, file /mnt/data/plot.png]
# | line plot, x -0.05 to 1.05, y 0.95 to 2.05; 2 points for x 0 to 1, first 1, last 2, min 1, max 2.
# | [files written: plot.png (<n> bytes)]
