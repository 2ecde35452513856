"""The matplotlib backend behind every name: draws with Agg, and shows a figure by sending it."""

from itertools import count
from typing import Any

from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

from . import tracker

_creation = count(1)


class SandboxManager(FigureManagerBase):  # type: ignore[misc]  # matplotlib has no types
    """Takes the place of a window."""

    def __init__(self, canvas: Any, num: Any) -> None:
        super().__init__(canvas, num)
        self.window = self.frame = _Window()
        self.created = next(_creation)

    def show(self) -> None:
        """`Figure.show()`."""
        tracker.show(self.canvas.figure)

    def destroy(self) -> None:
        """The figure is closed."""
        tracker.closing(self.canvas.figure)

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """`plt.show()`; never blocks."""
        tracker.show_all(block)


class _Window:
    """Accepts every call: scripts for a desktop move and maximise their windows."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_args, **_kwargs: None


class SandboxCanvas(FigureCanvasAgg):  # type: ignore[misc]
    """An Agg canvas without an event loop."""

    manager_class = SandboxManager
    required_interactive_framework = None

    def draw_idle(self, *_args: Any, **_kwargs: Any) -> None:
        """Nothing: in interactive mode every command would draw the whole figure for nobody."""

    def start_event_loop(self, timeout: float = 0) -> None:
        """Nothing: no event can come."""

    def flush_events(self) -> None:
        """Nothing: no event can come."""


FigureCanvas = SandboxCanvas
FigureManager = SandboxManager
