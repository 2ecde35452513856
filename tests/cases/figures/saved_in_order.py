#: runtime native
import matplotlib.pyplot as plt
from PIL import Image

for name in "ba":
    plt.figure(figsize=(3, 2))
    plt.plot([1, 2])
    plt.title(name)
    plt.savefig(f"{name}.png")
    plt.close()
Image.new("RGB", (40, 30), "red").save("A.png")
print("done")
#: images 300x200 png, 300x200 png, 40x30 png
# | done
# | [image 1: 300x200 PNG, "b", file b.png]
# | line plot "b", x -0.05 to 1.05, y 0.95 to 2.05; 2 points for x 0 to 1, first 1, last 2, min 1, max 2.
# | [image 2: 300x200 PNG, "a", file a.png]
# | line plot "a", x -0.05 to 1.05, y 0.95 to 2.05; 2 points for x 0 to 1, first 1, last 2, min 1, max 2.
# | [image 3: 40x30 PNG, file A.png]
# | [files written: A.png (<n> bytes), a.png (<n> bytes), b.png (<n> bytes)]
