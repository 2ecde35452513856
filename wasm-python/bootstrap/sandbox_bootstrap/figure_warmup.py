"""Draws one figure in the parent of the native jobs: font cache, text layout and PNG path are then warm."""


def draw_once() -> None:
    """Draw a figure of the usual kind into nowhere."""
    import matplotlib.pyplot as plt

    from . import figure_png, figure_text, figures  # noqa: F401

    figure, axes = plt.subplots()
    axes.plot([0, 1, 2], [0.5, -1.5, 2], label="a")
    axes.set(title="Title 0123456789", xlabel="x", ylabel="y")
    axes.legend()
    axes.grid(True)
    drawing = figure_png.draw(figure, 1568, 16_000_000)
    drawing.digest()
    drawing.png()
    figure_text.describe(figure)
    plt.close("all")
