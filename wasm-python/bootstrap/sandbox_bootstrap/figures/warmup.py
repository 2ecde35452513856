"""Draws one figure in the parent of the native jobs, so that fonts, layout and PNG are warm."""


def draw_once() -> None:
    """Draw a typical figure and throw it away."""
    import matplotlib.pyplot as plt

    from . import alt_text, png, tracker  # noqa: F401  # jobs that draw need it

    figure, axes = plt.subplots()
    axes.plot([0, 1, 2], [0.5, -1.5, 2], label="a")
    axes.set(title="Title 0123456789", xlabel="x", ylabel="y")
    axes.legend()
    axes.grid(True)
    drawing = png.draw(figure, 1568, 16_000_000)
    drawing.digest()
    drawing.png()
    alt_text.describe(figure)
    plt.close("all")
