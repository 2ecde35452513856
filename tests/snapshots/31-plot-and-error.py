# only: native
import matplotlib.pyplot as plt

plt.plot([1, 2, 3])
plt.title("Before the error")
raise RuntimeError("after the plot")
