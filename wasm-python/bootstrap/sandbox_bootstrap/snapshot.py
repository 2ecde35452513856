"""The guest's snapshot: what is imported and tried here, every job finds done."""

import gc
import sys

# By package, in the order of the library reference; a module that the guest's build lacks is left out.
_PRELOADED = """
    string re difflib textwrap unicodedata struct codecs
    datetime zoneinfo calendar collections collections.abc heapq bisect array weakref types copy pprint reprlib enum
    graphlib numbers math cmath decimal fractions random statistics itertools functools operator
    pathlib os.path fileinput stat filecmp tempfile glob fnmatch linecache shutil pickle copyreg shelve sqlite3
    zlib gzip bz2 lzma zipfile tarfile csv configparser tomllib hashlib hmac secrets
    os io time argparse logging getpass platform errno locale gettext
    threading multiprocessing subprocess sched queue contextvars concurrent.futures asyncio socket signal
    email email.message json mimetypes base64 binascii html html.parser html.entities xml.etree.ElementTree
    urllib.parse urllib.request http uuid ipaddress
    typing pydoc doctest unittest timeit sys sysconfig builtins warnings dataclasses contextlib abc atexit traceback
    gc inspect importlib importlib.util importlib.metadata ast tokenize keyword dis code pkgutil
""".split()

_TRIAL_JOBS = (
    "print(1)\n[1, 2]",
    "await __import__('asyncio').sleep(0)",
    "1 +",
    "raise SystemExit(1)",
    """
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

asyncio.run(pause())
json.loads(json.dumps({"a": [1, 2.5, None, True, "é", dataclasses.asdict(Point(1))]}))
json.dumps([1, {"b": "c"}], indent=2)
re.sub(r"(\\w+)@(\\w+)", r"\\2", "a@b")
datetime.datetime.strptime("2024-01-02 03:04:05", "%Y-%m-%d %H:%M:%S").strftime("%d %B %Y")
datetime.datetime.fromisoformat("2024-01-02T03:04:05+00:00")
decimal.Decimal("1.10") / 3
print(f"{1234.5:,.2f} {'text':>8}", end="")
fail()
""",
)


def prepare() -> None:
    """Import, try out, and leave the interpreter as new: called once while the snapshot is made."""
    from . import event_loop, traceback_filter

    traceback_filter.install()
    _preload()
    event_loop.install()
    _fill_gaps()
    _import_own_modules()
    _add_site_builtins()
    sys.modules["tempfile"].tempdir = "/tmp"  # spares each job the search for a writable directory
    _try_a_job()
    gc.collect()
    gc.freeze()


def _preload() -> None:
    for name in _PRELOADED:
        try:
            __import__(name)
        except ImportError:
            pass


def _fill_gaps() -> None:
    from . import guest_library, stdlib_gaps

    stdlib_gaps.patch_loaded_modules()
    guest_library.install()


def _import_own_modules() -> None:
    """The parts of this package that only some jobs need: its folder does not exist when they do."""
    from . import callers, display, event_loop, ipython_display, ipython_standin, markup  # noqa: F401
    from . import near_names, pictures, rich, source_hints, source_repair  # noqa: F401


def _add_site_builtins() -> None:
    """What the module `site`, which the guest skips, would add."""
    import builtins

    import _sitebuiltins

    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    builtins.help = _sitebuiltins._Helper()


def _try_a_job() -> None:
    """Run jobs for real, into nowhere: first calls fill caches (regular expressions, codecs, formats)."""
    import io

    from . import display, errors, imports, main_module, report, source, traceback_filter
    from .request import Request

    output, argv = (sys.stdout, sys.stderr), sys.argv
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    try:
        for code in _TRIAL_JOBS:
            request = Request({"code": code, "runtime": "wasm"})
            try:
                imports.require_guest_modules(source.load(request), request)
                display.install(request.show_value)
                main_module.run(source.load(request), main_module.create(request))
            except BaseException as error:
                errors.ending_of(error)
    finally:
        sys.stdout, sys.stderr = output
        sys.argv = argv
        sys.displayhook = sys.__displayhook__
    del sys.modules["__main__"]
    traceback_filter.job_codes.clear()
    report.start()
