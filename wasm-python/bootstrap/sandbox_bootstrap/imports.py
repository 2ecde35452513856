"""Which runtime a job's imports need, seen before it runs or met while it runs.

In the guest a module that only the native runtime has sends the whole job there.  A finder at the end of
`sys.meta_path` sees what the parser could not; asked by a library that would do without the module, it keeps quiet,
or every `import sympy` would go native for its optional numpy.
"""

import _ast as ast
import sys
from importlib.machinery import PathFinder

from . import network, stdlib_gaps
from .errors import NeedsNative, causes

# A library that would do without these would draw in characters what the job wants as a picture.
_DRAWS = frozenset({"matplotlib"})

_request = None
# What libraries were denied while the job ran, and did without; a failure of theirs may come from that.
_denied: list[str] = []


def install(request) -> None:
    """Watch the imports of this job."""
    global _request
    _request = request
    _denied.clear()
    if _LastFinder not in sys.meta_path:
        sys.meta_path.append(_LastFinder)
    if request.in_wasm:
        stdlib_gaps.install(request)
    else:
        from . import import_hooks

        import_hooks.install()
        network.install(request)


def forget() -> None:
    """No job is running."""
    global _request
    _request = None


def require_guest_modules(program, request) -> None:
    """Raise NeedsNative if the program imports, anywhere in its text, what only the native runtime has."""
    if not request.can_rerun_natively or "import" not in request.code:
        return
    statements = list(_import_statements(program.tree))
    if request.network and (name := network.wanted(statements)):
        raise NeedsNative(name, "import")
    for name in _imported_names(statements):
        if _is_native_only(name) and _is_missing_here(name, request):
            raise NeedsNative(name, "import")


def rerun_or(ending: dict, error: BaseException | None, request) -> dict:
    """`ending`, or a rerun when what failed the job is a module missed by a library; tells near names of others."""
    missing = _missing_module(error) or _wanted_by_library(error, request)
    if missing is None:
        name = stdlib_gaps.native_name(error) if request.can_rerun_natively else None
        if name is not None:
            return {"exit": "needs_native", "code": ending["code"], "module": name, "how": "attempt"}
        network.hint(error, request)
        return ending
    if request.can_rerun_natively and _is_native_only(missing):
        return {"exit": "needs_native", "code": ending["code"], "module": missing, "how": "attempt"}
    if missing not in sys.modules and not _is_native_only(missing) and missing not in stdlib_gaps.NOWHERE:
        from . import near_names

        near_names.hint(missing, request)
    return ending


def _import_statements(tree):
    """The imports in `tree`, in the order of the text, but for relative ones: of each the module, and what is taken from it."""
    # Only statements are visited: imports are nothing else, and expressions are most of a tree.
    waiting = [tree]
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
                if isinstance(children, list):  # the body of a lambda or of `a if b else c` is an expression
                    waiting.extend(reversed(children))


def _imported_names(statements: list) -> list[str]:
    """The top-level modules of import statements."""
    return list(dict.fromkeys(module.partition(".")[0] for module, _ in statements))


def _is_native_only(name: str) -> bool:
    return name in _request.native_modules or name in stdlib_gaps.NATIVE_ONLY


def _is_missing_here(name: str, request) -> bool:
    """Whether the guest has no working module of this name; one of the job's own counts as working."""
    if name in sys.builtin_module_names or (name in sys.modules and name not in stdlib_gaps.NATIVE_ONLY):
        return False
    spec = PathFinder.find_spec(name)
    if spec is None:
        return True
    # `ssl` and its like are found and then fail for want of their C half.
    return name in stdlib_gaps.NATIVE_ONLY and not (spec.origin or "").startswith(request.workdir + "/")


def _missing_module(error: BaseException | None) -> str | None:
    """The top-level name of the module whose absence is behind `error`."""
    missed = (cause.name for cause in causes(error) if isinstance(cause, ModuleNotFoundError) and cause.name)
    return next((name.partition(".")[0] for name in missed), None)


def _wanted_by_library(error: BaseException | None, request) -> str | None:
    """The native module behind an error that a library raised because it was denied one, or has none of its own."""
    if error is None or not request.can_rerun_natively:
        return None
    from . import callers

    if not callers.is_raised_by_library(error):
        return None
    if _denied:
        return _denied[-1]
    if not isinstance(error, ImportError):
        return None
    # In words of its own: "You must install Pillow to fetch image objects".
    words = set(str(error).lower().replace("pillow", "pil").replace("'", " ").split())
    return next((name for name in request.native_modules if name.lower() in words), None)


class _LastFinder:
    """Asked for a module that nobody else has found."""

    @staticmethod
    def find_spec(name: str, path=None, target=None):
        """Find a stand-in or a file written a moment ago; else say why the module is missing."""
        top = name.partition(".")[0]
        if top == "IPython":
            from . import ipython_standin

            return ipython_standin.find_spec(name)
        if path is not None or _request is None:
            return None
        spec = _find_new_file(name)
        if spec is None:
            _refuse(name)
        return spec


def _find_new_file(name: str):
    """Look again in the work directory: a file written since the last look may not be in the finder's cache."""
    finder = sys.path_importer_cache.get(_request.workdir)
    if finder is None:
        return None
    finder.invalidate_caches()
    return finder.find_spec(name)


def _refuse(name: str) -> None:
    """Raise for a module that this runtime cannot have; return for one that just does not exist."""
    native_only = _request.in_wasm and _is_native_only(name)
    if not native_only and name not in stdlib_gaps.NOWHERE:
        return
    from . import callers

    caller = callers.of_import()
    if caller is callers.NOT_AN_IMPORT:
        return
    if caller is callers.GUARDED_LIBRARY and _request.native == "on" and name not in _DRAWS:
        _denied.append(name)
        return
    if native_only and _request.native == "on":
        stdlib_gaps.rerun_natively(name)
    if caller is callers.QUESTION:
        return
    if native_only:
        reason = f"it needs the native runtime, which is off: {_request.native_why}"
    else:
        reason = stdlib_gaps.NOWHERE[name]
    raise ModuleNotFoundError(f"No module named {name!r}: {reason}", name=name)
