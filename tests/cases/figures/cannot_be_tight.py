#: options --figure-text off
#: runtime native
# Measuring these fails, and drawing does not.
import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from mpl_toolkits.axes_grid1.axes_divider import make_axes_area_auto_adjustable

fig = plt.figure(figsize=(4, 3))
ax = fig.add_axes((0, 0, 1, 1))
ax.set_yticks([0.5], labels=["a very long label"])
make_axes_area_auto_adjustable(ax)
plt.show()


class Odd(Line2D):
    def get_window_extent(self, renderer=None):
        raise RuntimeError("no extent")


fig, ax = plt.subplots(figsize=(4, 3))
ax.add_line(Odd([0, 1], [0, 1], clip_on=False))
plt.show()
#: images 399x297 png, 400x300 png
# | [image 1: 399x297 PNG]
# | [image 2: 400x300 PNG]
