#: runtime native
#: arguments {"timeout": 55}
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
#: images 558x446 png
# | [image 1: 558x446 PNG, "$\\int_0^1 x^2\\,dx$", file /mnt/data/figure.jpg]
# | 2 axes: [1] line plot "$\int_0^1 x^2\,dx$", x -0.1 to 2.1, y 0.9 to 3.1; "größe": 3 points for x 0 to 2, first 1, last 3, min 1, max 3. [2] heat map, x -0.5 to 7.5, y 7.5 to -0.5; 8x8 values, 0 to 1.
# | ok
# | [files written: figure.jpg (<n> bytes), figure.pdf (<n> bytes), figure.svg (<n> bytes)]
