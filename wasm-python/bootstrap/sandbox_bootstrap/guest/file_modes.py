"""Permission bits of files, which WASI does not know: those that the job sets are remembered."""

import os
import stat
from collections.abc import Callable
from typing import Any

_MODE_BITS = 0o7777

_modes: dict[tuple[int, int], int] = {}  # by device and inode
_mask = 0o022
_real: dict[str, Callable[..., Any]] = {
    name: getattr(os, name) for name in ("chmod", "fstat", "lstat", "stat")
}


def install() -> None:
    """Make `os.chmod` remember; `os.stat` changes only with its first call."""
    os.chmod = _chmod


def umask(mask: int, /) -> int:
    """Set the mask and return the one before; there is nothing that it would be taken from."""
    global _mask
    before, _mask = _mask, mask & 0o777
    return before


def _chmod(path: Any, mode: int, **options: Any) -> None:
    _real["chmod"](path, mode, **options)
    if not _modes:
        for name in ("fstat", "lstat", "stat"):
            setattr(os, name, _telling(_real[name]))
    found = _real["stat"](path, **options)
    _modes[found.st_dev, found.st_ino] = mode & _MODE_BITS


_chmod.__name__ = _chmod.__qualname__ = "chmod"
_chmod.__doc__ = _real["chmod"].__doc__


def _telling(real: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
    def look(*args: Any, **kwargs: Any) -> os.stat_result:
        found = real(*args, **kwargs)
        mode = _modes.get((found.st_dev, found.st_ino))
        if mode is None:
            return found
        reduced: Any = found.__reduce__()[1]
        fields = [stat.S_IFMT(found.st_mode) | mode, *reduced[0][1:]]
        return os.stat_result(fields, dict(reduced[1]))

    look.__name__, look.__doc__ = real.__name__, real.__doc__
    return look
