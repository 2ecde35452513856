#: runtime native
import builtins

import matplotlib.pyplot as plt

plt.plot([1, 2])
builtins.trace = 1
open("x", "w").close()
#: images 549x411 png
# | [image 1: 549x411 PNG]
# | line plot, x -0.05 to 1.05, y 0.95 to 2.05; 2 points for x 0 to 1, first 1, last 2, min 1, max 2.
# | [files written: x (0 bytes)]
# --- call
import builtins
import os

import matplotlib.pyplot as plt

print(plt.get_fignums(), hasattr(builtins, "trace"), os.listdir(), os.listdir(os.environ["TMPDIR"]))
# | [] False [] []
