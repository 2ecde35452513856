"""Runs jobs before the snapshot is taken, the whole road, with their output thrown away.

First calls fill caches (regular expressions, codecs, formats), and bytecode that has run a few
times is specialised. Otherwise every job would do both again, and write to the memory again.
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
from collections.abc import Callable
from typing import Any

from ..guest import file_modes
from ..host import deadline, traceback_filter
from ..host import request as job_request
from ..job import run
from . import warmup_libraries

ROUNDS = 12  # Python specialises the bytecode of a function within its first dozen calls
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
    libraries = warmup_libraries.JOBS if sys.platform == "wasi" else ()
    sent: list[bytes] = []
    put_back = _redirect_output(sent)
    try:
        # The short jobs last: every instruction of their road must be warm.
        for code in (*libraries, *_SHORT_JOBS * ROUNDS, _LONG_JOB, _LONG_JOB):
            path = list(sys.path)
            sent.clear()
            exit_code = run.run_request(_request(code))
            sys.path[:] = path
            if exit_code and code in libraries:
                payload = sent[-1].partition(b"]")[2].partition(b"[")[0]
                raise RuntimeError(f"a warm-up job failed: {base64.b64decode(payload).decode()}")
    finally:
        put_back()


def _request(code: str) -> bytes:
    request = {
        "code": code,
        "filename": "main.py",
        "argv": ["main.py"],
        "nonce": "0" * 32,
        "runtime": "wasm",
        "workdir": WORKDIR,
        "mounts": [],
        "show_value": True,
        "figure_text": True,
        "max_image_side": 1568,
        "max_image_pixels": 16_000_000,
        "native_modules": ["numpy"],
        "packages": [],
        "native": "on",
        "native_why": "",
        "network": [],
        "network_why": "",
        "session": 0,
        "state_file": "",
        "restore": False,
        "migrate": False,
    }
    return json.dumps(request).encode()


def _redirect_output(sent: list[bytes]) -> Callable[[], None]:
    """Replace what jobs write to; frames go to `sent`. Returns a function that restores it all."""
    streams = {
        name: getattr(sys, name) for name in ("stdout", "stderr", "__stdout__", "__stderr__")
    }
    settings = {name: getattr(sys, name) for name in ("argv", "displayhook")}
    modules = {name: sys.modules.get(name) for name in ("__main__", "_sandbox")}
    for name in streams:
        setattr(sys, name, io.TextIOWrapper(io.BytesIO()))
    nowhere: Any = types.ModuleType("_sandbox")
    nowhere.emit = sent.append
    sys.modules["_sandbox"] = nowhere

    def put_back() -> None:
        for name, value in {**streams, **settings}.items():
            setattr(sys, name, value)
        for name, module in modules.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module
        _forget_the_jobs()

    return put_back


def _forget_the_jobs() -> None:
    """Undo what jobs leave in the interpreter and a process of their own would take along."""
    sys.path_importer_cache.pop(WORKDIR, None)
    # It remembers folders together with their times, the work directory's among them.
    importlib.metadata.MetadataPathFinder.invalidate_caches()
    importlib.metadata.entry_points()
    names: Any = builtins
    del names.display
    traceback_filter.job_codes.clear()
    job_request.running = None
    deadline.fired = False
    file_modes.install()  # only now: what it remembers is of this machine
    random.seed(0)  # jobs seed it anew; this keeps the snapshot the same
    # The policy remembers that loops have run.
    asyncio.set_event_loop_policy(type(asyncio.get_event_loop_policy())())
    atexit.register(logging.shutdown)  # jobs run the exit handlers, and each runs once
    finalizers: Any = weakref.finalize
    finalizers._shutdown = finalizers._registered_with_atexit = False  # the same for these
