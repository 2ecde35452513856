"""matplotlib: lines, bars, images, contours, 3-D and text, as PNG, JPEG, SVG and PDF."""

from importlib.metadata import version

import matplotlib

matplotlib.use("agg")

import numpy as np
from matplotlib import pyplot as plt

x = np.linspace(0, 10, 500)
figure, axes = plt.subplots(2, 2, figsize=(8, 6), layout="constrained")
axes[0, 0].plot(x, np.sin(x), label="sin")
axes[0, 0].fill_between(x, np.sin(x), alpha=0.3)
axes[0, 0].set_title(r"$\int_0^x \cos t\,dt$ – Größe")
axes[0, 0].legend()
axes[0, 1].bar(["a", "b", "c"], [3, 1, 2], color=["tab:red", "#00aa00", "C2"])
axes[1, 0].imshow(np.outer(np.sin(x), np.cos(x)), cmap="viridis", interpolation="bicubic")
axes[1, 1].contourf(np.hypot(*np.mgrid[-3:3:50j, -3:3:50j]), levels=8)
figure.savefig("plot.png", dpi=100)
figure.savefig("plot.jpg")
figure.savefig("plot.svg")
figure.savefig("plot.pdf")
for name, start in (
    ("plot.png", b"\x89PNG"),
    ("plot.jpg", b"\xff\xd8"),
    ("plot.svg", b"<?xml"),
    ("plot.pdf", b"%PDF"),
):
    with open(name, "rb") as file:
        data = file.read()
    assert data.startswith(start) and len(data) > 5000, name
pixels = plt.imread("plot.png")
assert pixels.shape[:2] == (600, 800) and 0.5 < pixels[..., :3].mean() < 0.99

space = plt.figure().add_subplot(projection="3d")
space.plot_surface(*np.meshgrid(range(5), range(5)), np.arange(25.0).reshape(5, 5))
space.scatter([0, 1], [0, 1], [0, 9])
space.figure.canvas.draw()
assert np.asarray(space.figure.canvas.buffer_rgba()).shape == (480, 640, 4)

figure, axes = plt.subplots()
axes.hist(np.random.default_rng(1).normal(size=500), bins=20)
axes.set_yscale("log")
axes.annotate("peak", xy=(0, 50), xytext=(1, 80), arrowprops={"arrowstyle": "->"})
figure.savefig("hist.png")

print("ok", "matplotlib", version("matplotlib"))
