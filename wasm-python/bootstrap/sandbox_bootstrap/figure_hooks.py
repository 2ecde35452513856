"""Fits matplotlib to the channel, right after it was imported."""

import sys
from functools import update_wrapper

from . import import_hooks

FARTHEST = 2**16  # pixels; the longest side that Agg draws


def patch(matplotlib) -> None:
    """Answer every backend name with ours; the rest follows when the modules concerned are imported."""
    from matplotlib.backends import backend_registry

    registry = type(backend_registry)
    registry.load_backend_module = _load_backend_module
    registry.is_valid_backend = lambda self, name: True
    if matplotlib.rcParams._get_backend_or_none() is None:
        matplotlib.rcParams["backend"] = matplotlib.rcParamsDefault["backend"] = "agg"
    matplotlib.rcsetup._validators["text.usetex"] = _without_latex
    import_hooks.after_import("matplotlib.figure", _patch_figure)
    import_hooks.after_import("matplotlib.backend_bases", _patch_canvas)
    import_hooks.after_import("matplotlib.axes._axes", _patch_axes)
    import_hooks.after_import("matplotlib.backends.backend_agg", _patch_agg)
    import_hooks.after_import("matplotlib.animation", _patch_animation)
    import_hooks.after_import("matplotlib.pyplot", _patch_pyplot)
    import_hooks.after_import("matplotlib.font_manager", _patch_fonts)


def _without_latex(value):
    """LaTeX would be another process: matplotlib's own formulas do."""
    from matplotlib import rcsetup

    if rcsetup.validate_bool(value):
        from . import report

        report.note("`text.usetex` was ignored: there is no LaTeX here, formulas are drawn by matplotlib itself")
    return False


def _load_backend_module(_registry, _name):
    from . import figure_backend

    return figure_backend


def _patch_pyplot(pyplot) -> None:
    from . import figures

    pyplot.pause = figures.pause


def _patch_axes(module) -> None:
    from . import figure_boxes

    figure_boxes.patch(module.Axes)


def _patch_agg(module) -> None:
    """Leave out text far outside of the page, at which FreeType fails: `plt.text` with wrong coordinates is common."""
    real = module.RendererAgg.draw_text

    def draw_text(renderer, gc, x, y, *args, **kwargs):
        if abs(x) < FARTHEST and abs(y) < FARTHEST:
            real(renderer, gc, x, y, *args, **kwargs)

    module.RendererAgg.draw_text = update_wrapper(draw_text, real)


def _patch_animation(module) -> None:
    """A saved animation is shown by its file, which moves; its figure need not be shown as well."""
    from . import figures

    real = module.Animation.save

    def save(animation, filename, *args, **kwargs):
        figure = animation._fig
        result = real(animation, filename, *args, **kwargs)
        figures.note_animation_saved(figure, filename)
        return result

    module.Animation.save = update_wrapper(save, real)


def _patch_fonts(font_manager) -> None:
    from . import figure_fonts

    figure_fonts.patch(font_manager)


def _patch_figure(module) -> None:
    """Watch figures change, and know which pictures of them were saved."""
    from . import figure_fonts, figures

    figure_class = module.Figure
    real_stale = figure_class.stale
    real_draw = figure_class.draw
    real_savefig = figure_class.savefig

    def set_stale(figure, value):
        if value:
            figures.record_of(figure).changed = True
        real_stale.fset(figure, value)

    def draw(figure, renderer):
        with figures.unchanged(figure), figure_fonts.remembered_choices():  # drawing updates ticks and layout
            real_draw(figure, renderer)
            if figure_fonts.found_better():
                if hasattr(renderer, "clear"):
                    renderer.clear()
                real_draw(figure, renderer)

    def savefig(figure, fname, **kwargs):
        with figures.unchanged(figure):
            result = real_savefig(figure, fname, **kwargs)
        figures.note_saved(figure, fname, _written_bytes(fname))
        return result

    figure_class.stale = property(real_stale.fget, set_stale, doc=real_stale.__doc__)
    figure_class.draw = update_wrapper(draw, real_draw)
    figure_class.savefig = update_wrapper(savefig, real_savefig)


def _written_bytes(target) -> bytes | None:
    io = sys.modules["io"]
    return target.getvalue() if isinstance(target, io.BytesIO) else None


def _patch_canvas(module) -> None:
    """Keep savefig() from making pictures that no memory holds."""
    canvas_class = module.FigureCanvasBase
    real = canvas_class.print_figure

    def print_figure(canvas, filename, dpi=None, *args, **kwargs):
        from . import figure_limits

        dpi = figure_limits.bounded_dpi(canvas, filename, dpi, kwargs.get("format"))
        return real(canvas, filename, dpi, *args, **kwargs)

    canvas_class.print_figure = update_wrapper(print_figure, real)
