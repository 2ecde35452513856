"""The representation of an object, chosen as a notebook chooses it, from what a model can receive: images and text."""

from binascii import a2b_base64
from itertools import islice

_IMAGE_METHODS = (("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"))
_TEXT_METHODS = (("_repr_markdown_", "text/markdown"), ("_repr_html_", "text/html"), ("_repr_latex_", "text/latex"),
                 ("_repr_svg_", "image/svg+xml"), ("_repr_json_", "application/json"))  # fmt: skip
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif")
_TEXT_TYPES = ("text/plain", "text/markdown", "text/latex", "text/html", "image/svg+xml", "application/json")
_ITEMS_SHOWN = 1000  # of a list, tuple, set or dict; what a notebook shows
_CHARACTERS_SHOWN = 100_000  # of a string


def representation(value) -> tuple[str, object]:
    """The kind and the data that show an object; raises what its own `__repr__` raises.

    Kinds: "text", "text/html" and "text/markdown" with a str, the MIME type of an image with bytes.
    """
    if isinstance(value, type):  # the methods below belong to its instances
        return "text", repr(value)
    found = _from_mimebundle(value) or _from_image_methods(value)
    if found is not None:
        return found
    if type(value).__repr__ is object.__repr__:
        found = _from_text_methods(value)
        if found is not None:
            return found
    return "text", plain(value)


def from_bundle(bundle: dict) -> tuple[str, object] | None:
    """The best entry of a MIME bundle."""
    for kind in _IMAGE_TYPES:
        if bundle.get(kind) is not None:
            return kind, _as_bytes(bundle[kind])
    for kind in _TEXT_TYPES:
        data = bundle.get(kind)
        if data is not None:
            return _text(kind, data)
    return None


def plain(value) -> str:
    """`repr(value)`, of huge built-in containers and strings only the beginning."""
    kind = type(value)
    if kind in (list, tuple, set, frozenset, dict) and len(value) > _ITEMS_SHOWN:
        return _beginning_of(value, kind)
    if kind in (str, bytes) and len(value) > 2 * _CHARACTERS_SHOWN:
        left_out = len(value) - 2 * _CHARACTERS_SHOWN
        return f"{value[:_CHARACTERS_SHOWN]!r} … [{left_out} left out] … {value[-_CHARACTERS_SHOWN:]!r}"
    return repr(value)


def _beginning_of(value, kind: type) -> str:
    if kind is dict:
        items = [f"{key!r}: {item!r}" for key, item in islice(value.items(), _ITEMS_SHOWN)]
    else:
        items = [repr(item) for item in islice(value, _ITEMS_SHOWN)]
    brackets = {list: "[{}]", tuple: "({})", frozenset: "frozenset({{{}}})"}.get(kind, "{{{}}}")
    return brackets.format(", ".join([*items, f"... {len(value) - _ITEMS_SHOWN} more"]))


def _from_mimebundle(value) -> tuple[str, object] | None:
    bundle = _call(value, "_repr_mimebundle_")
    if isinstance(bundle, tuple):  # (data, metadata)
        bundle = bundle[0]
    return from_bundle(bundle) if isinstance(bundle, dict) else None


def _from_image_methods(value) -> tuple[str, object] | None:
    for method, kind in _IMAGE_METHODS:
        data = _call(value, method)
        if isinstance(data, tuple):
            data = data[0]
        if data:
            return kind, _as_bytes(data)
    return None


def _from_text_methods(value) -> tuple[str, object] | None:
    for method, kind in _TEXT_METHODS:
        data = _call(value, method)
        if isinstance(data, tuple):
            data = data[0]
        if isinstance(data, str):
            return _text(kind, data)
    return None


def _text(kind: str, data) -> tuple[str, object]:
    if not isinstance(data, str):
        return "text", repr(data)
    return (kind if kind in ("text/html", "text/markdown") else "text"), data


def _call(value, name: str):
    """The result of an optional representation method; one that fails counts as missing, as in a notebook."""
    if getattr(type(value), name, None) is None:  # on the type: `__getattr__` of proxies and mocks answers anything
        return None
    try:
        return getattr(value, name)()
    except Exception:
        return None


def _as_bytes(data) -> bytes:
    if isinstance(data, str):
        return a2b_base64(data)
    return bytes(data)
