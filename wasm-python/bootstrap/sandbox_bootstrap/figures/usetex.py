"""`usetex` and formulas that matplotlib cannot draw: drawn as well as it can, never an error.

LaTeX would be another process, and a figure is worth more than the letters of its title.
"""

import inspect
import re
from functools import update_wrapper
from typing import Any

from ..host import report
from . import tex

_UNKNOWN = re.compile(r"Unknown symbol: \\(\w+)")
_UNKNOWN_AT_MOST = 8

_wanted: list[bool] = [False]  # whether `text.usetex` was set to True last


def without_latex(value: Any) -> bool:
    """Validate `text.usetex`; it stays False, since other modules would start LaTeX."""
    from matplotlib import rcsetup

    wanted: bool = rcsetup.validate_bool(value)
    _wanted[0] = wanted
    if wanted:
        _say_so()
    return False


def _say_so() -> None:
    report.note(
        "`usetex` was ignored: there is no LaTeX here, formulas are drawn by matplotlib itself"
    )


def patch_text(module: Any) -> None:
    """Adapt `matplotlib.text`."""
    text_class = module.Text
    real = text_class._preprocess_math

    def preprocess(text: Any, s: str) -> Any:
        if text._usetex:
            _say_so()
        if text._usetex or _wanted[0]:
            s = tex.plain(s)
        return real(text, s)

    text_class.get_usetex = lambda text: False
    text_class._preprocess_math = update_wrapper(preprocess, real)


def patch_textpath(module: Any) -> None:
    """Adapt `matplotlib.textpath`."""
    kind = module.TextToPath
    real_path, real_size = kind.get_text_path, kind.get_text_width_height_descent

    def path(self: Any, prop: Any, s: str, ismath: Any = False, **options: Any) -> Any:
        return real_path(self, prop, *_without_tex(s, ismath), **options)

    def size(self: Any, s: str, prop: Any, ismath: Any) -> Any:
        s, ismath = _without_tex(s, ismath)
        return real_size(self, s, prop, ismath)

    kind.get_text_path = update_wrapper(path, real_path)
    kind.get_text_width_height_descent = update_wrapper(size, real_size)


def _without_tex(s: str, ismath: Any) -> tuple[str, Any]:
    if ismath != "TeX":
        return s, ismath
    from matplotlib import cbook

    _say_so()
    s = tex.plain(s)
    return (s, True) if cbook.is_math_text(s) else (s.replace(r"\$", "$"), False)


def patch_mathtext(module: Any) -> None:
    """Adapt `matplotlib.mathtext`: a formula that it cannot read is simplified, or written out."""
    kind = module.MathTextParser
    real = kind.parse

    def parse(parser: Any, s: str, *args: Any, **options: Any) -> Any:
        try:
            return real(parser, s, *args, **options)
        except Exception as error:
            failed = error
        simpler = tex.simpler(s)
        for _ in range(_UNKNOWN_AT_MOST):
            try:
                return real(parser, simpler, *args, **options)
            except Exception as error:
                unknown = _UNKNOWN.search(str(error))
                if unknown is None:
                    break
                name = rf"\\{unknown[1]}(?![A-Za-z])"
                simpler = re.sub(name, rf"\\mathrm{{{unknown[1]}}}", simpler)
        try:
            found = real(parser, tex.literally(s), *args, **options)
        except Exception:
            raise failed from None
        report.note(f"matplotlib cannot draw this formula, so it is written as text: {s}")
        return found

    kind.parse = update_wrapper(parse, real)


def patch_pgf(module: Any) -> None:
    """Adapt the backend that has LaTeX draw all: sizes of texts are matplotlib's own."""
    from matplotlib.backend_bases import RendererBase
    from matplotlib.backends import backend_pdf

    measure = RendererBase.get_text_width_height_descent
    module.RendererPgf.get_text_width_height_descent = measure
    canvas_class = module.FigureCanvasPgf

    def printing(name: str) -> Any:
        def print_(canvas: Any, target: Any, **options: Any) -> None:
            from matplotlib.backends.backend_agg import FigureCanvasAgg

            _say_so()
            other = backend_pdf.FigureCanvasPdf if name == "print_pdf" else FigureCanvasAgg
            try:
                method = getattr(other(canvas.figure), name)
                known = inspect.signature(method).parameters
                method(target, **{key: options[key] for key in options if key in known})
            finally:
                canvas.figure.set_canvas(canvas)

        return print_

    for name in ("print_pdf", "print_png"):
        setattr(canvas_class, name, printing(name))
    module.PdfPages = backend_pdf.PdfPages
