"""The matplotlib backend behind every name: draws with Agg, and shows figures by handing them to the host."""

from itertools import count

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from . import figures

_creation = count(1)


class SandboxManager(FigureManagerBase):
    """Stands where a window would."""

    def __init__(self, canvas, num):
        super().__init__(canvas, num)
        self.window = self.frame = _Window()
        self.created = next(_creation)

    def show(self) -> None:
        """`Figure.show()`."""
        figures.show(self.canvas.figure)

    def destroy(self) -> None:
        """The figure is closed."""
        figures.closing(self.canvas.figure)

    @classmethod
    def pyplot_show(cls, *, block=None) -> None:
        """`plt.show()`; never blocks."""
        figures.show_all(block)


class _Window:
    """What scripts for a desktop move and maximise: takes every call."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_args, **_kwargs: None


class SandboxCanvas(FigureCanvasAgg):
    """An Agg canvas without an event loop."""

    manager_class = SandboxManager
    required_interactive_framework = None

    def draw_idle(self, *_args, **_kwargs) -> None:
        """Nothing: in interactive mode every command would draw the whole figure for nobody."""

    def start_event_loop(self, timeout=0) -> None:
        """Nothing: no event can come."""

    def flush_events(self) -> None:
        """Nothing: no event can come."""


FigureCanvas = SandboxCanvas
FigureManager = SandboxManager
