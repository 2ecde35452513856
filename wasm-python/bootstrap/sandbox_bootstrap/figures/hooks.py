"""Adapts matplotlib to the sandbox, right after it was imported. `savefig` is caught here.

Nothing that is added here may fail a drawing that plain matplotlib does: `quietly` sees to that.
"""

import sys
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from ..native import import_hooks

FARTHEST = 2**16  # pixels; the longest side that Agg draws


def patch(matplotlib: Any) -> None:
    """Answer every backend name with ours; patch the other modules when they are imported."""
    from matplotlib.backends import backend_registry

    from . import shipped_fonts, usetex

    registry: Any = type(backend_registry)
    registry.load_backend_module = _loading(registry.load_backend_module)
    registry.is_valid_backend = lambda self, name: True
    if matplotlib.rcParams._get_backend_or_none() is None:
        matplotlib.rcParams["backend"] = matplotlib.rcParamsDefault["backend"] = "agg"
    matplotlib.rcsetup._validators["text.usetex"] = usetex.without_latex
    if "matplotlib.font_manager" not in sys.modules:
        quietly(shipped_fonts.bring_list, matplotlib.get_cachedir())
    import_hooks.after_import("matplotlib.text", usetex.patch_text)
    import_hooks.after_import("matplotlib.textpath", usetex.patch_textpath)
    import_hooks.after_import("matplotlib.mathtext", usetex.patch_mathtext)
    import_hooks.after_import("matplotlib.backends.backend_pgf", usetex.patch_pgf)
    import_hooks.after_import("matplotlib.figure", _patch_figure)
    import_hooks.after_import("matplotlib.backend_bases", _patch_canvas)
    import_hooks.after_import("matplotlib.axes._axes", _patch_axes)
    import_hooks.after_import("matplotlib.backends.backend_agg", _patch_agg)
    import_hooks.after_import("matplotlib.animation", _patch_animation)
    import_hooks.after_import("matplotlib.pyplot", _patch_pyplot)
    import_hooks.after_import("matplotlib.font_manager", _patch_fonts)


def quietly(function: Callable[..., Any], *arguments: Any, otherwise: Any = None) -> Any:
    """What `function` returns; `otherwise` if it fails."""
    try:
        return function(*arguments)
    except Exception:
        return otherwise


_FILE_BACKENDS = frozenset({"agg", "pdf", "pgf", "ps", "svg"})
_saving: list[bool] = []  # for each savefig() that runs


def _loading(real: Callable[..., Any]) -> Callable[..., Any]:
    """Show figures with our backend, whatever name is asked for; save them with that one."""

    def load_backend_module(registry: Any, name: str) -> Any:
        from . import backend

        is_for_files = _saving and name.lower() in _FILE_BACKENDS
        found = quietly(real, registry, name) if is_for_files else None
        return found if hasattr(found, "FigureCanvas") else backend

    return load_backend_module


def _patch_pyplot(pyplot: Any) -> None:
    from . import tracker

    pyplot.pause = tracker.pause


def _patch_axes(module: Any) -> None:
    from . import boxes

    boxes.patch(module.Axes)


def _patch_agg(module: Any) -> None:
    """Skip text far outside of the page, which FreeType refuses: wrong coordinates are common."""
    real = module.RendererAgg.draw_text

    def draw_text(renderer: Any, gc: Any, x: float, y: float, *args: Any, **kwargs: Any) -> None:
        if abs(x) < FARTHEST and abs(y) < FARTHEST:
            real(renderer, gc, x, y, *args, **kwargs)

    module.RendererAgg.draw_text = update_wrapper(draw_text, real)


def _patch_animation(module: Any) -> None:
    """A saved animation is shown by its file, which moves; its figure need not be shown, too."""
    from . import tracker

    real = module.Animation.save

    def save(animation: Any, filename: Any, *args: Any, **kwargs: Any) -> Any:
        figure = animation._fig
        result = real(animation, filename, *args, **kwargs)
        quietly(tracker.note_animation_saved, figure, filename)
        return result

    module.Animation.save = update_wrapper(save, real)


def _patch_fonts(font_manager: Any) -> None:
    from . import fonts

    fonts.patch(font_manager)


def _patch_figure(module: Any) -> None:
    """Watch figures change, and know which pictures of them were saved."""
    from . import fonts, tracker

    figure_class = module.Figure
    real_stale = figure_class.stale
    real_draw = figure_class.draw
    real_savefig = figure_class.savefig

    def set_stale(figure: Any, value: bool) -> None:
        if value:
            # Not by a function of its own: this runs for every change of every artist.
            tracker.record_of(figure).changed = True
        real_stale.fset(figure, value)

    def draw(figure: Any, renderer: Any) -> None:
        # Drawing updates ticks and layout, which is no change by the job.
        with tracker.unchanged(figure), fonts.remembered_choices():
            real_draw(figure, renderer)
            if quietly(fonts.found_better):
                if hasattr(renderer, "clear"):
                    renderer.clear()
                real_draw(figure, renderer)

    def savefig(figure: Any, fname: Any, **kwargs: Any) -> Any:
        with tracker.unchanged(figure):
            result = real_savefig(figure, fname, **kwargs)
        quietly(tracker.note_saved, figure, fname, _written_bytes(fname))
        return result

    figure_class.stale = property(real_stale.fget, set_stale, doc=real_stale.__doc__)
    figure_class.draw = update_wrapper(draw, real_draw)
    figure_class.savefig = update_wrapper(savefig, real_savefig)


def _written_bytes(target: Any) -> bytes | None:
    io = sys.modules["io"]
    return target.getvalue() if isinstance(target, io.BytesIO) else None


def _patch_canvas(module: Any) -> None:
    """Keep savefig() from making pictures that do not fit into memory."""
    canvas_class = module.FigureCanvasBase
    real = canvas_class.print_figure

    def print_figure(canvas: Any, filename: Any, dpi: Any = None, *args: Any, **kwargs: Any) -> Any:
        from . import limits

        kind = kwargs.get("format")
        dpi = quietly(limits.bounded_dpi, canvas, filename, dpi, kind, otherwise=dpi)
        _saving.append(True)
        try:
            return real(canvas, filename, dpi, *args, **kwargs)
        finally:
            _saving.pop()

    canvas_class.print_figure = update_wrapper(print_figure, real)
