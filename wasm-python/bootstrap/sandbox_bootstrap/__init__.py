"""Runs one job of a language model inside the interpreter, in either runtime.

The host gives a request, this package prepares the code, runs it as ``__main__``, hands figures and images over
the moment they are shown, and reports how it ended.  The road of a job is `job.run_request`.

Entry points:
    run_request(data)    one job: a request as JSON bytes in, the exit code out
    prepare_snapshot()   called once while the WASI snapshot is made
    warm(modules)        called once in the native parent that forks a child per job

Only the standard library is imported here, and of it as little as a job that prints one line needs.
"""

__all__ = ["prepare_snapshot", "run_request", "warm"]

from .job import run_request


def prepare_snapshot() -> None:
    """Preload and warm up the guest's interpreter; what is imported here costs no job anything."""
    from .snapshot import prepare

    prepare()


def warm(modules: list[str]) -> list[str]:
    """Import `modules` in the parent of the native jobs, so that a forked child finds them ready; what failed, and why."""
    from .warm import warm_parent

    return warm_parent(modules)
