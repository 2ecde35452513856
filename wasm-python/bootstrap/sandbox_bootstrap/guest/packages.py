"""Packages that would accept less than the native runtime offers are made to ask for it."""

import sys
from typing import Any

from ..host import report, reroute

# What `BeautifulSoup(text, features)` can ask for and only lxml has. "fast" is in its default, and
# a different parser gives a different tree.
_LXML_FEATURES = frozenset({"lxml", "lxml-html", "lxml-xml", "xml", "fast", "permissive"})


def install() -> None:
    """Patch what has been preloaded."""
    builder: Any = sys.modules.get("bs4.builder")
    if builder is not None:
        _patch_bs4(builder.builder_registry)
    progress: Any = sys.modules.get("tqdm.std")
    if progress is not None:
        progress.tqdm.monitor_interval = 0  # its thread only watches for bars that are too slow


def _patch_bs4(registry: Any) -> None:
    find = registry.lookup

    def lookup(*features: str) -> Any:
        if not _LXML_FEATURES.isdisjoint(features) and "lxml" not in sys.modules:
            reroute.prefer_native("lxml")
        found = find(*features)
        if found is None and not _LXML_FEATURES.isdisjoint(features):
            report.note("the parser lxml is in the native runtime only; `html.parser` is here")
        return found

    registry.lookup = lookup
