"""The job's place: work directory, sys.path, argv, and random numbers of its own."""

import itertools
import os
import sys

from . import report
from . import request as job_request


_shadowed: list[str] = []  # modules of the library that a file of the work directory hides


def enter(request) -> None:
    """Make the process look as if Python had just been started in the work directory."""
    sys.argv = list(request.argv)
    if not request.in_wasm:
        from . import identity, metadata, paths

        identity.take()
        paths.map_directory(request.workdir, request.hostdir, request.mounts)
        metadata.tolerate_also(host for _, host in request.mounts)
        if "tempfile" in sys.modules:  # the parent's directory, which is not the job's
            sys.modules["tempfile"].tempdir = None
        if "threading" in sys.modules:  # the parent may have started one (matplotlib, for its fonts): names count from 1
            sys.modules["threading"]._counter = itertools.count(1).__next__
        if ".system" in request.code:
            from . import denied

            denied.watch_system()
    try:
        os.chdir(request.workdir)
    except OSError as error:
        report.note(f"the work directory {request.workdir} cannot be entered: {error.strerror}")
    sys.path.insert(0, request.workdir)
    sys.path.extend(request.packages)
    if "import" in request.code:  # or nothing of this can be noticed
        _unload_shadowed_modules(request.workdir)
        _reseed()


def hint_at_shadowing(ending: dict) -> None:
    """Note when an error is about a library module that a file of the user hides."""
    message = ending.get("error", {}).get("message", "")
    for name in _shadowed:
        if f"'{name}'" in message:
            report.note(f"`{name}` is the file of that name in the work directory, not Python's own module")


def name_in_workdir(path) -> str | None:
    """`path` relative to the work directory; None if it is elsewhere, or no path."""
    try:
        path = os.path.abspath(os.fsdecode(path))
    except TypeError:
        return None
    root = job_request.current.workdir + "/"
    return path.removeprefix(root) if path.startswith(root) else None


def _reseed() -> None:
    """Draw fresh random states: a snapshot or a forked parent would give every job the same numbers."""
    modules = sys.modules
    if "random" in modules:
        modules["random"].seed()
    if "tempfile" in modules:
        modules["tempfile"]._name_sequence = None
    if "numpy.random" in modules:
        modules["numpy.random"].seed()
    if "uuid" in modules:
        modules["uuid"]._last_timestamp = None
    if "sympy.core.random" in modules:
        modules["sympy.core.random"].rng.seed()


def _unload_shadowed_modules(workdir: str) -> None:
    """Let a file `random.py` of the user win over the module of that name, as it would in a fresh interpreter.

    Modules that Python loads before it looks at the script stay: nothing shadows them there either.
    """
    try:
        names = os.listdir(workdir)
    except OSError:
        return
    for name in names:
        stem, dot, suffix = name.partition(".")
        if suffix not in ("", "py") or stem not in sys.modules or stem in _AT_STARTUP:
            continue
        if dot or os.path.isfile(f"{workdir}/{name}/__init__.py"):
            _shadowed.append(stem)
            for loaded in [key for key in sys.modules if key == stem or key.startswith(stem + ".")]:
                del sys.modules[loaded]


_AT_STARTUP = frozenset(sys.builtin_module_names) | {
    "__main__", "_collections_abc", "_sitebuiltins", "abc", "codecs", "encodings", "genericpath", "io", "os",
    "posixpath", "sandbox_bootstrap", "site", "stat", "zipimport",
}  # fmt: skip
