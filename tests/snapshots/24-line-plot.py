# only: native
import matplotlib.pyplot as plt

plt.plot([0, 1, 2, 3], [0, 1, 4, 9], label="square")
plt.plot([0, 1, 2, 3], [0, 1, 8, 27], label="cube")
plt.title("Powers")
plt.xlabel("n")
plt.ylabel("value")
plt.legend()
plt.show()
print("drawn")
