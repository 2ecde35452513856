"""How work runs that programs give to processes: each runtime sets its own way."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol, cast

from ..host import report

Task = Callable[[], object]
WorkerTask = Callable[[Any], object]
"""Gets what preparing its worker gave: an object, or the exception that was raised."""


class Work(Protocol):
    """Work that was started."""

    def stop(self) -> None:
        """Have it end as soon as possible."""


class Crew(Protocol):
    """The workers of a pool."""

    def run(self, task: WorkerTask) -> None:
        """Have a worker do `task`, now or later."""

    def stop(self) -> None:
        """No further task is begun."""


class Way(Protocol):
    """A way to run work. What is shared changes under `lock`, and then `notify` is called."""

    note: str
    in_turn: bool  # whether work is done at once, when it is handed over

    @property
    def lock(self) -> AbstractContextManager[Any, Any]:
        """Held while what is shared changes."""

    def until(
        self,
        condition: Callable[[], bool],
        timeout: float | None,
        then: Callable[[], object] | None = None,
    ) -> bool:
        """Wait until `condition` holds, and do `then`, both under the lock.

        False after `timeout` seconds without it.
        """

    def notify(self) -> None:
        """Something has changed that others may wait for; called under the lock."""

    def start(self, task: Task, name: str, daemon: bool) -> Work:
        """Begin work beside the caller's."""

    def crew(self, size: int, prepare: Callable[[int], object]) -> Crew:
        """Up to `size` workers; each calls `prepare(number)`, from 1, before its first task."""

    def catch_up(self) -> None:
        """Before looking at what others did: let them have done it."""

    def finish(self) -> None:
        """At the end of a job: do what is started and not begun."""


way = cast("Way", None)  # set by `native.threads` or `guest.in_turn`


def say_so() -> None:
    """Note once per job that there are no processes."""
    report.note(way.note)
