"""Which modules of the library are adapted, and how."""

from collections.abc import Callable
from typing import Any


def _patch(place: str, function: str = "patch") -> Callable[[Any], None]:
    def patch(module: Any) -> None:
        from importlib import import_module

        getattr(import_module(f"{__package__}.{place}"), function)(module)

    return patch


# In the order in which they must be adapted where all are imported already.
BY_MODULE: dict[str, Callable[[Any], None]] = {
    "_multiprocessing": _patch("semaphore"),
    "multiprocessing.process": _patch("process", "patch_process"),
    "multiprocessing.context": _patch("process", "patch_context"),
    "multiprocessing.connection": _patch("listeners", "patch_connection"),
    "multiprocessing.queues": _patch("queues", "patch_queues"),
    "multiprocessing.synchronize": _patch("events"),
    "multiprocessing.pool": _patch("pool"),
    "multiprocessing.managers": _patch("managers"),
    "concurrent.futures.process": _patch("executor"),
}
