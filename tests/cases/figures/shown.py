#: runtime auto
import matplotlib.pyplot as plt
import numpy as np

print("before")
plt.plot(np.arange(5), label="line")
plt.title("A title")
plt.show()
print("after")
#: ran native because `matplotlib` needs the native runtime
#: meta confined true
#: images 550x432 png
# | before
# | [image 1: 550x432 PNG, "A title"]
# | line plot "A title", x -0.2 to 4.2, y -0.2 to 4.2; "line": 5 points for x 0 to 4, first 0, last 4, min 0, max 4.
# | after
