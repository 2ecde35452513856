"""The guest's snapshot: what is imported and tried here, every job finds done."""

import gc
import os
import sys

# By package, in the order of the library reference; a module that the guest's build lacks is left out.
_PRELOADED = """
    string re difflib textwrap unicodedata struct codecs
    datetime zoneinfo calendar collections collections.abc heapq bisect array weakref types copy pprint reprlib enum
    graphlib numbers math cmath decimal fractions random statistics itertools functools operator
    pathlib os.path fileinput stat filecmp tempfile glob fnmatch linecache shutil pickle copyreg shelve sqlite3
    zlib gzip bz2 lzma zipfile tarfile csv configparser tomllib hashlib hmac secrets
    os io time argparse logging getpass platform errno locale gettext
    threading multiprocessing subprocess sched queue contextvars concurrent.futures concurrent.futures.process asyncio socket signal
    email email.message json mimetypes base64 binascii html html.parser html.entities xml.etree.ElementTree
    urllib.parse urllib.request http uuid ipaddress
    typing pydoc doctest unittest timeit sys sysconfig builtins warnings dataclasses contextlib abc atexit traceback
    gc inspect importlib importlib.util importlib.metadata ast tokenize keyword dis code pkgutil
""".split()

# Pure-Python packages, the whole of what jobs ask of them: an import is then free.
_PACKAGES = """
    mpmath sympy sympy.abc sympy.plotting sympy.parsing.sympy_parser sympy.integrals.manualintegrate
    networkx networkx.algorithms.community networkx.algorithms.bipartite networkx.algorithms.approximation
    dateutil.parser dateutil.relativedelta dateutil.rrule dateutil.tz dateutil.easter
    bs4 openpyxl openpyxl.styles openpyxl.chart openpyxl.utils openpyxl.formatting.rule xlrd PyPDF2
    yaml jinja2 markupsafe markdown tabulate attr attrs toolz six typing_extensions tqdm tqdm.auto
    rich rich.console rich.table rich.text rich.panel rich.pretty
""".split()

_ENVIRONMENT = {"HOME": "/tmp", "LANG": "C.UTF-8", "USER": "sandbox"}


def prepare() -> None:
    """Import, try out, and leave the interpreter as new: called once while the snapshot is made."""
    from . import event_loop, rehearsal, streams, traceback_filter

    traceback_filter.install()
    _import_all(_PRELOADED)
    if sys.platform == "wasi":  # not where tests play the guest
        _import_all(["_sandbox"])  # a module of the guest's own, which each job asks for
        _import_packages()
    event_loop.install()
    _fill_gaps()
    _import_own_modules()
    _add_site_builtins()
    sys.modules["tempfile"].tempdir = "/tmp"  # spares each job the search for a writable directory
    os.environ.update(_ENVIRONMENT)
    rehearsal.run_jobs()
    streams.settle()
    gc.collect()
    gc.freeze()


def _import_all(names: list[str]) -> None:
    for name in names:
        try:
            __import__(name)
        except ImportError:
            pass


def _import_packages() -> None:
    # sympy reads it once; its default of 1000 would lose what the rehearsal has worked out.
    os.environ["SYMPY_CACHE_SIZE"] = "20000"
    _import_all(_PACKAGES)
    del os.environ["SYMPY_CACHE_SIZE"]


def _fill_gaps() -> None:
    from . import guest_library, guest_packages, stdlib_gaps

    stdlib_gaps.patch_loaded_modules()
    guest_library.install()
    guest_packages.install()


def _import_own_modules() -> None:
    """The parts of this package that only some jobs need: its folder does not exist when they do."""
    from . import callers, carry, denied, display, event_loop, ipython_display, ipython_standin, markup  # noqa: F401
    from . import near_names, pictures, rich, source_hints, source_repair  # noqa: F401


def _add_site_builtins() -> None:
    """What the module `site`, which the guest skips, would add."""
    import builtins

    import _sitebuiltins

    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    builtins.help = _sitebuiltins._Helper()
