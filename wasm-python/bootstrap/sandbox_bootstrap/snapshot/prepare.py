"""Prepares the guest's interpreter: what is imported and tried here, every job finds done."""

import contextlib
import gc
import os
import sys
from typing import Any

from ..guest import event_loop, in_turn, library, packages, stand_ins
from ..host import traceback_filter
from ..job import streams
from . import warmup_jobs, warmup_libraries

# By topic, in the order of the library reference. A module that the guest lacks is left out.
_PRELOADED = """
    string re difflib textwrap unicodedata struct codecs
    datetime zoneinfo calendar collections collections.abc heapq bisect array weakref types copy
    pprint reprlib enum graphlib
    numbers math cmath decimal fractions random statistics itertools functools operator
    pathlib os.path fileinput stat filecmp tempfile glob fnmatch linecache shutil
    pickle copyreg shelve sqlite3
    zlib gzip bz2 lzma zipfile tarfile csv configparser tomllib hashlib hmac secrets
    os io time argparse logging getpass platform errno locale gettext
    threading multiprocessing subprocess sched queue contextvars concurrent.futures
    concurrent.futures.process asyncio socket signal
    email email.message json mimetypes base64 binascii
    html html.parser html.entities xml.etree.ElementTree
    urllib.parse urllib.request http uuid ipaddress
    typing pydoc doctest unittest timeit sys sysconfig builtins warnings dataclasses contextlib abc
    atexit traceback gc inspect importlib importlib.util importlib.metadata
    ast tokenize keyword dis code pkgutil
""".split()

_ENVIRONMENT = {"HOME": "/tmp", "LANG": "C.UTF-8", "USER": "sandbox"}


def prepare() -> None:
    """Import, warm up, and leave the interpreter as new."""
    traceback_filter.install()
    _import_all(_PRELOADED)
    if sys.platform == "wasi":  # not when tests play the guest
        _import_all(["_sandbox"])  # a module of the guest's own, which each job asks for
        _import_packages()
    event_loop.install()
    stand_ins.patch_loaded_modules()
    in_turn.install()
    library.install()
    packages.install()
    _import_own_modules()
    _add_site_builtins()
    tempfile: Any = sys.modules["tempfile"]
    tempfile.tempdir = "/tmp"  # saves each job the search for a writable directory
    os.environ.update(_ENVIRONMENT)
    warmup_jobs.run_jobs()
    streams.settle()
    gc.collect()
    gc.freeze()


def _import_all(names: list[str]) -> None:
    for name in names:
        with contextlib.suppress(ImportError):
            __import__(name)


def _import_packages() -> None:
    # sympy reads this once. Its default of 1000 would drop what the warm-up jobs have cached.
    os.environ["SYMPY_CACHE_SIZE"] = "20000"
    _import_all(warmup_libraries.PACKAGES)
    del os.environ["SYMPY_CACHE_SIZE"]


def _import_own_modules() -> None:
    """The modules of this package that only some jobs need: no job can read its folder."""
    from ..display import ipython_standin, markup  # noqa: F401
    from ..hints import near_names, sandbox_hints, source_hints  # noqa: F401
    from ..job import callers, session_pickle, source_repair  # noqa: F401


def _add_site_builtins() -> None:
    """Add what the module `site`, which the guest skips, would add."""
    import _sitebuiltins
    import builtins

    names: Any = builtins
    names.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    names.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    names.help = _sitebuiltins._Helper()
