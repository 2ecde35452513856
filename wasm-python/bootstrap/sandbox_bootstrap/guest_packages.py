"""Guest: packages that would do with less than the native runtime has are made to ask for it."""

import sys

from . import report, stdlib_gaps

# What `BeautifulSoup(text, features)` may ask for that only lxml has; "fast" is in what it asks for by itself, and a
# different parser gives a different tree.
_LXML_FEATURES = frozenset({"lxml", "lxml-html", "lxml-xml", "xml", "fast", "permissive"})


def install() -> None:
    """Patch what has been preloaded."""
    builder = sys.modules.get("bs4.builder")
    if builder is not None:
        _patch_bs4(builder.builder_registry)
    progress = sys.modules.get("tqdm.std")
    if progress is not None:
        progress.tqdm.monitor_interval = 0  # its thread only watches for bars that are too slow


def _patch_bs4(registry) -> None:
    find = registry.lookup

    def lookup(*features):
        if not _LXML_FEATURES.isdisjoint(features) and "lxml" not in sys.modules:
            stdlib_gaps.prefer_native("lxml")
        found = find(*features)
        if found is None and not _LXML_FEATURES.isdisjoint(features):
            report.note("the parser lxml is in the native runtime only; `html.parser` is here")
        return found

    registry.lookup = lookup
