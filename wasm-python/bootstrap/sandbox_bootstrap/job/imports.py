"""Which runtime a job's imports need, seen before it runs or met while it runs.

In the guest, a module that only the native runtime has sends the whole job there. The parser sees
most imports; a finder at the end of `sys.meta_path` sees the rest. When a library asks that would
do without the module, the finder says nothing. Otherwise every `import sympy` would go native,
because sympy tries numpy.
"""

import _ast as ast
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from ..hints import network, stdlib_gaps
from ..host import request as job_request
from ..host import reroute
from ..host.exceptions import causes
from ..host.report import Ending
from ..host.request import Request
from ..host.reroute import NeedsNative
from .source import Program

# Without these a library would draw in characters what the job wants as a picture.
_DRAWS = frozenset({"matplotlib"})

# Modules that libraries wanted and did without while the job ran; that may make them fail later.
_denied: list[str] = []

Statements = list[tuple[str, list[str]]]  # of each import the module, and the names taken from it


def install(request: Request) -> None:
    """Watch the imports of this job."""
    _denied.clear()
    finder: Any = _LastFinder
    if finder not in sys.meta_path:
        sys.meta_path.append(finder)
    if not request.in_wasm:
        from ..native import network as native_network
        from . import library_patches

        library_patches.install()
        native_network.install(request)


def require_guest_modules(program: Program, request: Request) -> None:
    """Raise NeedsNative if the program imports, anywhere in its text, a native module."""
    if not request.can_rerun_natively or "import" not in request.code:
        return
    statements = list(_import_statements(program.tree))
    if request.network and (name := network.wanted(statements)):
        raise NeedsNative(name, "import")
    for name in _imported_names(statements):
        if _is_native_only(name, request) and _is_missing_here(name, request):
            raise NeedsNative(name, "import")


def rerun_or(ending: Ending, error: BaseException | None, request: Request) -> Ending:
    """A rerun if a missing native module made the job fail, else `ending`, with a hint."""
    missing = _missing_module(error) or _wanted_by_library(error, request)
    if missing is None:
        name = stdlib_gaps.native_name(error) if request.can_rerun_natively else None
        if name is not None:
            return reroute.ending(name, "attempt", ending["code"])
        if isinstance(error, ImportError):
            from ..hints import near_names

            near_names.hint_at_words(error, request)
        network.hint(error, request)
        return ending
    native_only = _is_native_only(missing, request)
    if request.can_rerun_natively and native_only:
        return reroute.ending(missing, "attempt", ending["code"])
    if missing not in sys.modules and not native_only and missing not in stdlib_gaps.NOWHERE:
        from ..hints import near_names

        near_names.hint(missing, request)
    return ending


def _import_statements(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    """The imports in `tree`, in the order of the text; relative ones are left out."""
    # Only statements are visited: no expression is an import, and they are most of a tree.
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, []
        elif isinstance(node, ast.ImportFrom):
            if not node.level and node.module:
                yield node.module, [alias.name for alias in node.names]
        else:
            for field in ("cases", "finalbody", "orelse", "handlers", "body"):
                children = getattr(node, field, None)
                # The body of a lambda or of `a if b else c` is an expression, not a list.
                if isinstance(children, list):
                    waiting.extend(reversed(children))


def _imported_names(statements: Statements) -> list[str]:
    """The top-level modules of import statements."""
    return list(dict.fromkeys(module.partition(".")[0] for module, _ in statements))


def _is_native_only(name: str, request: Request) -> bool:
    return name in request.native_modules or name in stdlib_gaps.NATIVE_ONLY


def _is_missing_here(name: str, request: Request) -> bool:
    """Whether the guest has no working module of this name; one of the job's own counts."""
    if name in sys.builtin_module_names:
        return False
    if name in sys.modules and name not in stdlib_gaps.NATIVE_ONLY:
        return False
    spec = PathFinder.find_spec(name)
    if spec is None:
        return True
    # `ssl` and the like are found, and then fail because their C half is missing.
    is_own = (spec.origin or "").startswith(request.workdir + "/")
    return name in stdlib_gaps.NATIVE_ONLY and not is_own


def _missing_module(error: BaseException | None) -> str | None:
    """The top-level name of the missing module that caused `error`."""
    for cause in causes(error):
        if isinstance(cause, ModuleNotFoundError) and cause.name:
            return cause.name.partition(".")[0]
    return None


def _wanted_by_library(error: BaseException | None, request: Request) -> str | None:
    """The native module without which a library raised `error`."""
    if error is None or not request.can_rerun_natively:
        return None
    from . import callers

    if not callers.is_raised_by_library(error):
        return None
    if _denied:
        return _denied[-1]
    if not isinstance(error, ImportError):
        return None
    # In its own words: "You must install Pillow to fetch image objects".
    words = set(str(error).lower().replace("pillow", "pil").replace("'", " ").split())
    return next((name for name in request.native_modules if name.lower() in words), None)


class _LastFinder:
    """Is asked for a module that no other finder has found."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a stand-in or a file written a moment ago; else say why the module is missing."""
        top = name.partition(".")[0]
        if top == "IPython":
            from ..display import ipython_standin

            return ipython_standin.find_spec(name)
        job = job_request.running
        if path is not None or job is None:
            return None
        spec = _find_new_file(name, job)
        if spec is None:
            _refuse(name, job)
        return spec


def _find_new_file(name: str, request: Request) -> ModuleSpec | None:
    """Look in the work directory again: the finder's cache may not know a new file yet."""
    finder: Any = sys.path_importer_cache.get(request.workdir)
    if finder is None:
        return None
    finder.invalidate_caches()
    return finder.find_spec(name)


def _refuse(name: str, request: Request) -> None:
    """Raise for a module that this runtime cannot have; return for one that does not exist."""
    native_only = request.in_wasm and _is_native_only(name, request)
    if not native_only and name not in stdlib_gaps.NOWHERE:
        return
    from . import callers

    caller = callers.of_import()
    if caller is callers.NOT_AN_IMPORT:
        return
    if caller is callers.GUARDED_LIBRARY and request.native == "on" and name not in _DRAWS:
        _denied.append(name)
        return
    if native_only and request.native == "on":
        reroute.rerun_natively(name)
    if caller is callers.QUESTION:
        return
    if native_only:
        reason = f"it needs the native runtime, which is off: {request.native_why}"
    else:
        reason = stdlib_gaps.NOWHERE[name]
    raise ModuleNotFoundError(f"No module named {name!r}: {reason}", name=name)
