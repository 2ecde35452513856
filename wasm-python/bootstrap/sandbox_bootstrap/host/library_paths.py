"""Paths in answers: those of installed files from `site-packages/` or `python3.X/` on.

What is before that differs from machine to machine and is the operator's business.
"""

import os
import sys

_STDLIB = f"python3.{sys.version_info.minor}"
_OF_THE_SYSTEM = ("/", "/usr", "/usr/local")  # everybody has them
_stdlib_folder = os.path.dirname(os.__file__)

_rules: list[tuple[str, str]] = []  # (beginning of a path, what is shown), the longest first


def install() -> None:
    """Take the folders of the library from `sys.path`, which the job may change later."""
    _rules.clear()
    show(_stdlib_folder, _STDLIB)
    for folder in sys.path:
        name = os.path.basename(folder)
        if name == "site-packages":
            show(folder, name)
        elif name == "lib-dynload":
            show(folder, f"{_STDLIB}/{name}")
    for prefix, shown in ((sys.prefix, "venv"), (sys.base_prefix, "python")):
        if prefix not in _OF_THE_SYSTEM:
            show(prefix, shown)


def show(folder: str, shown: str) -> None:
    """From now on, show the path `folder` as `shown`."""
    for name in {folder, os.path.realpath(folder)}:
        rule = (name.rstrip("/") + "/", shown + "/")
        if name not in ("", "/", shown) and rule not in _rules:
            _rules.append(rule)
    _rules.sort(key=lambda rule: -len(rule[0]))


def shown(text: str) -> str:
    """`text` with the paths in it as they are shown."""
    for folder, name in _rules:
        if folder in text:
            text = text.replace(folder, name)
    return text
