"""The job's module: `__main__`, as fresh as in a new interpreter."""

import builtins
import sys
from types import ModuleType

from . import traceback_filter

CO_COROUTINE = 0x80  # inspect.CO_COROUTINE; the import would cost a fresh process dearly


def create(request) -> ModuleType:
    """Put a new, empty `__main__` into sys.modules: pickle, dataclasses and `inspect` look there."""
    module = ModuleType("__main__")
    vars(module).update(
        __builtins__=builtins,
        __file__=f"{request.workdir}/{request.filename}",
        __cached__=None,
    )
    sys.modules["__main__"] = module
    return module


def run(program, module: ModuleType) -> None:
    """Run the job's code; what it raises comes out as it is."""
    traceback_filter.job_codes[:] = program.codes
    namespace = vars(module)
    if any(code.co_flags & CO_COROUTINE for code in program.codes):
        import asyncio

        asyncio.run(_run_awaiting(program.codes, namespace))
        return
    for code in program.codes:
        exec(code, namespace)


async def _run_awaiting(codes, namespace: dict) -> None:
    """All of a job with top-level `await` in one event loop: tasks of the body live on in the last expression."""
    for code in codes:
        value = eval(code, namespace)
        if code.co_flags & CO_COROUTINE:
            await value


def clear(module: ModuleType) -> None:
    """Let go of the job's objects in the order of Python's own end, so that `__del__` methods run."""
    namespace = vars(module)
    for name in list(namespace):
        if name.startswith("_") and not name.startswith("__"):
            namespace[name] = None
    for name in list(namespace):
        if name != "__builtins__":
            namespace[name] = None
