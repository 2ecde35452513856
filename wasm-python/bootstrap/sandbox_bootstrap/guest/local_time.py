"""`time.tzset()`: local time as the variable `TZ` says, a zone's name or a POSIX rule.

The C library of WASI has no time zones. The guest program computes local time from a table
(`wasm-python/guest/local_time.c`), which is made here.
"""

import os
import struct
import time
from importlib import import_module
from typing import Any, NamedTuple

from ..host import report

_ENTRY = struct.Struct("<qii16s")  # `struct span` of local_time.c
_SINCE_EVER = -(2**63)
_YEARS = range(1970, 2150)  # for which a rule is written out
_DEFAULT_RULE = ",M3.2.0,M11.1.0"  # of POSIX, where only the names are given
_YEAR = 366 * 24 * 3600


class _Span(NamedTuple):
    """From a moment on, seconds since 1970 in UTC, clocks are so many seconds ahead of UTC."""

    start: int
    offset: int
    is_dst: bool
    name: str


_UTC = _Span(_SINCE_EVER, 0, False, "UTC")


def tzset() -> None:
    """Make local time that of `TZ`; where there is no such zone, UTC, as in the C library."""
    import _sandbox

    name = os.environ.get("TZ", "").removeprefix(":")
    spans = (_of_zone(name) or _of_rule(name)) if name else [_UTC]
    if not spans:
        report.note(f"there is no time zone `{name}`, so local time is UTC")
        spans = [_UTC]
    _sandbox.set_local_time(
        b"".join(_ENTRY.pack(*span[:3], span.name.encode()[:15]) for span in spans)
    )
    _set_constants(spans)


def _of_zone(name: str) -> list[_Span]:
    """The spans of a zone of tzdata, or of the file that a path leads to."""
    from zoneinfo import _common

    library: Any = _common
    try:
        with open(name, "rb") if name[0] == "/" else library.load_tzdata(name) as file:
            kinds, starts, offsets, are_dst, names, rule = library.load_data(file)
    except (OSError, LookupError, ValueError, AssertionError, struct.error):
        return []
    spans = [
        _Span(start, offsets[kind], bool(are_dst[kind]), names[kind])
        for start, kind in zip(starts, kinds, strict=True)
    ]
    first = next((kind for kind, is_dst in enumerate(are_dst) if not is_dst), 0)
    spans.insert(0, _Span(_SINCE_EVER, offsets[first], bool(are_dst[first]), names[first]))
    last = spans[-1].start
    return spans + [span for span in _of_rule((rule or b"").decode()) if span.start > last]


def _of_rule(rule: str) -> list[_Span]:
    """The spans of a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`."""
    library: Any = import_module("zoneinfo._zoneinfo")
    if not any(c.isdigit() for c in rule):  # a name alone is no rule
        return []
    try:
        try:
            parsed = library._parse_tz_str(rule)
        except ValueError:
            parsed = library._parse_tz_str(rule + _DEFAULT_RULE)
    except ValueError:
        return []
    if not hasattr(parsed, "transitions"):
        return [_Span(_SINCE_EVER, _seconds(parsed), False, parsed.tzname)]
    standard, summer = _seconds(parsed.std), _seconds(parsed.dst)
    spans = []
    for year in _YEARS:
        begins, ends = parsed.transitions(year)
        spans.append(_Span(begins - standard, summer, True, parsed.dst.tzname))
        spans.append(_Span(ends - summer, standard, False, parsed.std.tzname))
    spans.sort()
    before = _Span(_SINCE_EVER, standard, False, parsed.std.tzname)
    return [before, *spans]


def _seconds(kind: Any) -> int:
    return int(kind.utcoff.total_seconds())


def _set_constants(spans: list[_Span]) -> None:
    """Set the names in `time` as on Linux: from the standard and the summer time of these days."""
    now = time.time()
    begun = [span for span in spans if span.start <= now + _YEAR]
    recent = [span for span in begun if span.start > now - _YEAR] or begun[-1:]
    standard = next((span for span in reversed(recent) if not span.is_dst), begun[-1])
    summer = next((span for span in reversed(recent) if span.is_dst), None)
    names: Any = time
    names.tzname = (standard.name, (summer or standard).name)
    names.timezone = -standard.offset
    names.altzone = -(summer or standard).offset
    names.daylight = int(summer is not None)
