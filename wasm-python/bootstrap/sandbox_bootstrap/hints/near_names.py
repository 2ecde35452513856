"""Hints for a module that does not exist: which one may have been meant, or serves instead."""

import difflib
import pkgutil
import sys

from ..host import report
from ..host.request import Request
from . import substitutes

# Packages whose name in a package index differs from the module's name.
_PACKAGE_NAMES = {
    "beautifulsoup4": "bs4",
    "dateutils": "dateutil",
    "opencv": "cv2",
    "pillow": "PIL",
    "pypdf2": "PyPDF2",
    "python_dateutil": "dateutil",
    "python_docx": "docx",
    "pyyaml": "yaml",
    "scikit_learn": "sklearn",
    "scikitlearn": "sklearn",
}


def hint(missing: str, request: Request) -> None:
    """Note what there is instead of `missing`, or that nothing can be installed."""
    known = _known_names(request)
    serving = substitutes.of(missing, known)
    near = near_names(missing, known)
    if serving:
        purpose, names = serving
        report.note(f"no module `{missing}` here; for {purpose} there is: {', '.join(names)}")
    elif near:
        report.note(f"no module `{missing}` here; near names that exist: {', '.join(near)}")
    else:
        report.note(f"no module `{missing}` here, and packages cannot be installed in a job")


def hint_at_words(error: ImportError, request: Request) -> None:
    """The same for a library that names what it lacks in its own words."""
    words = set(str(error).replace("'", " ").replace("`", " ").replace(",", " ").split())
    missing = next((name for name in substitutes.all_missed() if name in words), None)
    if missing is not None:
        hint(missing, request)


def near_names(missing: str, known: set[str]) -> list[str]:
    """Up to three of the `known` names that `missing` may stand for."""
    lowered = {}
    for name in sorted(known, reverse=True):
        lowered[name.lower()] = name
    meant = _PACKAGE_NAMES.get(missing.lower())
    close = difflib.get_close_matches(missing.lower(), lowered, n=3, cutoff=0.75)
    names = [meant] if meant in known else []
    return names + [lowered[name] for name in close if lowered[name] not in names]


def _known_names(request: Request) -> set[str]:
    names = {module.name for module in pkgutil.iter_modules()} | set(sys.builtin_module_names)
    return {name for name in names | set(request.native_modules) if not name.startswith("_")}
