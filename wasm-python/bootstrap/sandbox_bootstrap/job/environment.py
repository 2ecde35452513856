"""What surrounds the job's code: work directory, sys.path, argv, and random numbers of its own."""

import itertools
import os
import sys
from typing import Any

from ..host import report
from ..host.report import Ending
from ..host.request import Request

_shadowed: list[str] = []  # modules of the library that a file of the work directory hides


def enter(request: Request) -> None:
    """Make the process look as if Python had just been started in the work directory."""
    sys.argv = list(request.argv)
    if not request.in_wasm:
        _enter_native(request)
    try:
        os.chdir(request.workdir)
    except OSError as error:
        report.note(f"the work directory {request.workdir} cannot be entered: {error.strerror}")
    sys.path.insert(0, request.workdir)
    sys.path.extend(request.packages)
    has_imports = "import" in request.code  # without, a guest's job cannot notice any of this
    if has_imports:
        _unload_shadowed_modules(request.workdir)
    if has_imports or not request.in_wasm:  # `sys.modules` has more in a forked child
        _reseed()


def _enter_native(request: Request) -> None:
    # The guest has neither `pwd` nor `posix` functions to replace.
    from ..native import file_metadata, passwd, paths

    passwd.take()
    paths.map_directory(request.workdir, request.hostdir, request.mounts)
    file_metadata.tolerate_also(host for _, host in request.mounts)
    modules: dict[str, Any] = sys.modules
    if "tempfile" in modules:  # it remembers the parent's directory
        modules["tempfile"].tempdir = None
    if "threading" in modules:  # the parent may have started threads: count names from 1
        modules["threading"]._counter = itertools.count(1).__next__
    if ".system" in request.code:
        from ..hints import sandbox_hints

        sandbox_hints.watch_system()


def hint_at_shadowing(ending: Ending) -> None:
    """Note when an error is about a library module that a file of the user hides."""
    message = ending["error"]["message"] if "error" in ending else ""
    for name in _shadowed:
        if f"'{name}'" in message:
            report.note(
                f"`{name}` is the file of that name in the work directory, not Python's own module"
            )


def _reseed() -> None:
    """Seed afresh: a snapshot or a forked parent would give every job the same numbers."""
    modules: dict[str, Any] = sys.modules
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
    """Let a file `random.py` of the user win over that module, as in a fresh interpreter.

    Modules that Python loads before it looks at the script stay: no file can shadow them.
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
            loaded = [key for key in sys.modules if key == stem or key.startswith(stem + ".")]
            for module in loaded:
                del sys.modules[module]


_AT_STARTUP = frozenset(sys.builtin_module_names) | frozenset(
    """__main__ _collections_abc _sitebuiltins abc codecs encodings genericpath io os posixpath
    sandbox_bootstrap site stat zipimport""".split()
)
