"""Stand-ins for what the guest's standard library cannot do.

They send the job to the native runtime, or raise an error that names another way.
"""

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from ..host import request, reroute


def patch_loaded_modules() -> None:
    """Replace the functions that would fail with an obscure error; cheap to repeat."""
    import _thread

    threads: Any = _thread
    if threads.start_new_thread is not _start_thread:
        threads.start_new_thread = threads.start_joinable_thread = _start_thread
    threading: Any = sys.modules.get("threading")
    if threading is not None:
        threading._start_joinable_thread = _start_thread
    subprocess: Any = sys.modules.get("subprocess")
    if subprocess is not None:
        subprocess.Popen.__init__ = _start_process


def native_function(name: str) -> Callable[..., NoReturn]:
    """A stand-in for the function `name`, which only the native runtime has."""

    def needs_native(*_args: Any, **_kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name}() {_missing_native(name)}")

    needs_native.__module__, _, needs_native.__name__ = name.rpartition(".")
    needs_native.__qualname__ = needs_native.__name__
    return needs_native


def refuse_process(command: object) -> NoReturn:
    """Say that no process can be started, and what to do instead."""
    raise PermissionError(
        f"no process can be started here ({command!r}): do it in Python "
        "(files: os, shutil, pathlib; archives: zipfile)"
    )


def _missing_native(what: str) -> str:
    """Rerun natively, or return the reason why that is not possible."""
    job = request.running
    if job is not None and job.native == "on":
        reroute.rerun_natively(what)
    why = job.native_why if job is not None else "a snapshot is being made"
    return f"needs the native runtime, which is off: {why}"


def _start_thread(*_args: Any, **_kwargs: Any) -> NoReturn:
    raise RuntimeError(f"can't start new thread: that {_missing_native('threading')}")


def _start_process(self: Any, args: object = None, *_args: Any, **_kwargs: Any) -> NoReturn:
    self._child_created = False  # Popen.__del__ looks at these
    self.returncode = None
    refuse_process(args)
