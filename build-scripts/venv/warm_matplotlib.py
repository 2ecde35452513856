"""Draws one plot, so that matplotlib writes its list of fonts into MPLCONFIGDIR."""

import io

import matplotlib

matplotlib.use("agg")

from matplotlib import pyplot

figure, axes = pyplot.subplots()
axes.plot([0, 1], [0, 1])
figure.savefig(io.BytesIO())
