"""Runs the code of one job inside the interpreter, in either runtime.

The host sends a request. This package prepares the code, runs it as `__main__`, hands over images
as they are shown, and reports how the job ended. The road of a job is `job.run.run_request`.

Entry points:
    run_request(data)    one job: takes a request as JSON bytes, returns the exit code
    prepare_snapshot()   called once while the WASI snapshot is made
    warm(modules)        called once in the native parent that forks a child for each job

`../floors.txt` lists the folders and which of them may import which.
"""

from .host import own_builtins

own_builtins.install()  # before any other module of this package is imported

from .job.run import run_request  # noqa: E402

__all__ = ["prepare_snapshot", "run_request", "warm"]


def prepare_snapshot() -> None:
    """Import and warm up what jobs use; whatever is done here costs no job anything."""
    from .snapshot.prepare import prepare

    prepare()


def warm(modules: list[str]) -> list[str]:
    """Import `modules` in the parent of the native jobs; returns one line for each that failed."""
    from .fork_server.warm import fork_server

    return fork_server(modules)
