"""A plot: numpy and matplotlib, in the native runtime; the picture comes back as an image."""

import matplotlib.pyplot as plt
import numpy as np

x = np.linspace(0, 4 * np.pi, 400)
plt.plot(x, np.sin(x), label="sin")
plt.plot(x, np.sin(x) * np.exp(-x / 6), label="damped")
plt.title("A damped wave")
plt.xlabel("t in s")
plt.ylabel("amplitude")
plt.legend()
plt.grid(alpha=0.3)
plt.show()
print("largest damped value:", round(float(np.max(np.sin(x) * np.exp(-x / 6))), 3))
