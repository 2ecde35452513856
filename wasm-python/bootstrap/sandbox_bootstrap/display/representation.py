"""What stands for an object, chosen as a notebook does, among images and text."""

from binascii import a2b_base64
from itertools import islice
from typing import Any

_IMAGE_METHODS = (("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"))
_TEXT_METHODS = (
    ("_repr_markdown_", "text/markdown"),
    ("_repr_html_", "text/html"),
    ("_repr_latex_", "text/latex"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_json_", "application/json"),
)
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif")
_TEXT_TYPES = (
    "text/plain",
    "text/markdown",
    "text/latex",
    "text/html",
    "image/svg+xml",
    "application/json",
)
_ITEMS_SHOWN = 1000  # of a list, tuple, set or dict, as in a notebook
_CHARACTERS_SHOWN = 100_000  # of a string

Shown = tuple[str, Any]
"""Kind and data: "text", "text/html" or "text/markdown" with a str, an image's type with bytes."""


def representation(value: Any) -> Shown:
    """What shows an object; raises what its own `__repr__` raises."""
    if isinstance(value, type):  # the methods below belong to its instances
        return "text", repr(value)
    found = _from_mimebundle(value) or _from_image_methods(value)
    if found is not None:
        return found
    if type(value).__repr__ is object.__repr__:  # type: ignore[comparison-overlap]
        found = _from_text_methods(value)
        if found is not None:
            return found
    return "text", plain(value)


def from_bundle(bundle: dict[str, Any]) -> Shown | None:
    """The best entry of a MIME bundle."""
    for kind in _IMAGE_TYPES:
        if bundle.get(kind) is not None:
            return kind, _as_bytes(bundle[kind])
    for kind in _TEXT_TYPES:
        data = bundle.get(kind)
        if data is not None:
            return _text(kind, data)
    return None


def plain(value: Any) -> str:
    """`repr(value)`; of huge built-in containers and strings only a part."""
    kind = type(value)
    if kind in (list, tuple, set, frozenset, dict) and len(value) > _ITEMS_SHOWN:
        return _beginning_of(value, kind)
    if kind in (str, bytes) and len(value) > 2 * _CHARACTERS_SHOWN:
        left_out = len(value) - 2 * _CHARACTERS_SHOWN
        head, tail = value[:_CHARACTERS_SHOWN], value[-_CHARACTERS_SHOWN:]
        return f"{head!r} … [{left_out} left out] … {tail!r}"
    return repr(value)


def _beginning_of(value: Any, kind: type) -> str:
    if kind is dict:
        items = [f"{key!r}: {item!r}" for key, item in islice(value.items(), _ITEMS_SHOWN)]
    else:
        items = [repr(item) for item in islice(value, _ITEMS_SHOWN)]
    brackets: dict[type, str] = {list: "[{}]", tuple: "({})", frozenset: "frozenset({{{}}})"}
    more = f"... {len(value) - _ITEMS_SHOWN} more"
    return brackets.get(kind, "{{{}}}").format(", ".join([*items, more]))


def _from_mimebundle(value: Any) -> Shown | None:
    bundle = _call(value, "_repr_mimebundle_")
    if isinstance(bundle, tuple):  # (data, metadata)
        bundle = bundle[0]
    return from_bundle(bundle) if isinstance(bundle, dict) else None


def _from_image_methods(value: Any) -> Shown | None:
    for method, kind in _IMAGE_METHODS:
        data = _call(value, method)
        if isinstance(data, tuple):
            data = data[0]
        if data:
            return kind, _as_bytes(data)
    return None


def _from_text_methods(value: Any) -> Shown | None:
    for method, kind in _TEXT_METHODS:
        data = _call(value, method)
        if isinstance(data, tuple):
            data = data[0]
        if isinstance(data, str):
            return _text(kind, data)
    return None


def _text(kind: str, data: Any) -> Shown:
    if not isinstance(data, str):
        return "text", repr(data)
    return (kind if kind in ("text/html", "text/markdown") else "text"), data


def _call(value: Any, name: str) -> Any:
    """The result of an optional method; one that fails counts as missing, as in a notebook."""
    # Asked of the type: `__getattr__` of proxies and mocks answers to any name.
    if getattr(type(value), name, None) is None:
        return None
    try:
        return getattr(value, name)()
    except Exception:
        return None


def _as_bytes(data: Any) -> bytes:
    if isinstance(data, str):
        return a2b_base64(data)
    return bytes(data)
