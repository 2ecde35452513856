# images: 1
import matplotlib.pyplot as plt
import numpy as np

figure, axes = plt.subplots(1, 2)
axes[0].plot([1, 2, 3], label="größe")
axes[0].set_title(r"$\int_0^1 x^2\,dx$")
axes[1].imshow(np.eye(8))
for suffix in ("svg", "pdf", "jpg"):
    figure.savefig(f"/mnt/data/figure.{suffix}")
plt.show()
print("ok")
