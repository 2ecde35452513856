"""Before the snapshot is made, jobs are run through the whole road, into nowhere.

First calls fill caches (regular expressions, codecs, formats), and bytecode that has run a few times is specialised:
both would otherwise be done again, and dirty memory again, in every job.
"""

import asyncio
import atexit
import base64
import builtins
import importlib.metadata
import io
import json
import logging
import random
import sys
import types
import weakref

ROUNDS = 12  # Python specialises a function's bytecode within its first dozen calls
WORKDIR = "/mnt/data"

_SHORT_JOBS = (
    "print(1)",
    "print('hello', 1 + 1)\nfor i in range(3):\n    print(i, end=' ')\n",
    "x = [1, 2]\nx",
    "import json, math\nprint(json.dumps({'a': math.pi}))",
    "def f(n):\n    return n * 2\n\nclass A:\n    pass\n\nprint(f(2))",
    "1 / 0",
    "import sys\nsys.exit(3)",
    "print('open'",
)

_LONG_JOB = """
import asyncio, dataclasses, datetime, decimal, json, re, typing

@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5

class Missing(Exception):
    pass

async def pause():
    await asyncio.sleep(0)
    return await asyncio.gather(asyncio.sleep(0, 1), asyncio.sleep(0, 2))

def fail():
    try:
        {}["key"]
    except KeyError as error:
        raise Missing("tried") from error

await pause()
json.loads(json.dumps({"a": [1, 2.5, None, True, "é", dataclasses.asdict(Point(1))]}))
json.dumps([1, {"b": "c"}], indent=2)
re.sub(r"(\\w+)@(\\w+)", r"\\2", "a@b")
datetime.datetime.strptime("2024-01-02 03:04:05", "%Y-%m-%d %H:%M:%S").strftime("%d %B %Y")
datetime.datetime.fromisoformat("2024-01-02T03:04:05+00:00")
decimal.Decimal("1.10") / 3
print(f"{1234.5:,.2f} {'text':>8}", end="")
fail()
"""


def run_jobs() -> None:
    """Run the jobs above, then leave the interpreter as if none had run."""
    from . import job, rehearsal_libraries

    libraries = rehearsal_libraries.JOBS if sys.platform == "wasi" else ()
    sent: list[bytes] = []
    put_back = _stage(sent)
    try:
        # The short jobs last: it is their road that must be warm to the last instruction.
        for code in (*libraries, *_SHORT_JOBS * ROUNDS, _LONG_JOB, _LONG_JOB):
            path = list(sys.path)
            sent.clear()
            exit_code = job.run_request(_request(code))
            sys.path[:] = path
            if exit_code and code in libraries:
                failure = base64.b64decode(sent[-1].partition(b"]")[2].partition(b"[")[0]).decode()
                raise RuntimeError(f"a job of the rehearsal failed: {failure}")
    finally:
        put_back()


def _request(code: str) -> bytes:
    request = {"code": code, "filename": "main.py", "argv": ["main.py"], "nonce": "0" * 32, "runtime": "wasm",
               "workdir": WORKDIR, "show_value": True, "native": "on", "native_modules": ["numpy"]}  # fmt: skip
    return json.dumps(request).encode()


def _stage(sent: list[bytes]):
    """Replace what jobs write to, frames go to `sent`; gives back the function that restores everything."""
    streams = {name: getattr(sys, name) for name in ("stdout", "stderr", "__stdout__", "__stderr__")}
    settings = {name: getattr(sys, name) for name in ("argv", "displayhook")}
    main = sys.modules.get("__main__")
    sandbox = sys.modules.get("_sandbox")
    for name in streams:
        setattr(sys, name, io.TextIOWrapper(io.BytesIO()))
    nowhere = types.ModuleType("_sandbox")
    nowhere.emit = sent.append
    sys.modules["_sandbox"] = nowhere

    def put_back() -> None:
        from . import deadline, imports, request, stdlib_gaps, traceback_filter

        for name, value in {**streams, **settings}.items():
            setattr(sys, name, value)
        for name, module in (("__main__", main), ("_sandbox", sandbox)):
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module
        sys.path_importer_cache.pop(WORKDIR, None)
        # It remembers folders together with their times, the work directory's among them.
        importlib.metadata.MetadataPathFinder.invalidate_caches()
        importlib.metadata.entry_points()
        del builtins.display
        traceback_filter.job_codes.clear()
        imports.forget()
        stdlib_gaps.forget()
        request.current = request.Request({})
        deadline.fired = False
        random.seed(0)  # jobs draw their own; this keeps the snapshot the same
        asyncio.set_event_loop_policy(type(asyncio.get_event_loop_policy())())  # it remembers that loops have run
        atexit.register(logging.shutdown)  # jobs run the exit handlers, which uses them up
        weakref.finalize._shutdown = weakref.finalize._registered_with_atexit = False  # the same for theirs

    return put_back
