"""The job's module: `__main__`, as fresh as in a new interpreter."""

import builtins
import sys
from types import CodeType, ModuleType
from typing import Any

from ..host import traceback_filter
from ..host.request import Request
from .source import Program

CO_COROUTINE = 0x80  # inspect.CO_COROUTINE; importing `inspect` takes a fresh process long


def create(request: Request) -> ModuleType:
    """Put a new, empty `__main__` into sys.modules, where pickle and `inspect` look."""
    module = ModuleType("__main__")
    vars(module).update(
        __builtins__=builtins, __file__=f"{request.workdir}/{request.filename}", __cached__=None
    )
    sys.modules["__main__"] = module
    return module


def run(program: Program, module: ModuleType) -> None:
    """Run the job's code; what it raises comes out as it is."""
    traceback_filter.job_codes[:] = program.codes
    namespace = vars(module)
    if any(code.co_flags & CO_COROUTINE for code in program.codes):
        import asyncio

        asyncio.run(_run_awaiting(program.codes, namespace))
        return
    for code in program.codes:
        exec(code, namespace)


async def _run_awaiting(codes: list[CodeType], namespace: dict[str, Any]) -> None:
    """Run a job with top-level `await` in one event loop: its tasks survive from code to code."""
    for code in codes:
        value = eval(code, namespace)
        if code.co_flags & CO_COROUTINE:
            await value


def clear(module: ModuleType) -> None:
    """Drop the job's objects in the order in which Python does at its end, for `__del__`."""
    namespace = vars(module)
    for name in list(namespace):
        if name.startswith("_") and not name.startswith("__"):
            namespace[name] = None
    for name in list(namespace):
        if name != "__builtins__":
            namespace[name] = None
