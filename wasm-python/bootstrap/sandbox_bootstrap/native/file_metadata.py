"""Mode, owner and times of files cannot be changed here, and honest code need not notice.

The seccomp filter refuses these calls altogether, because they could change a file that is
otherwise read-only. `shutil.copy`, `Path.touch` and the like would then fail over something that no
job needs. So on the job's own files the functions of `os` do nothing instead. Anywhere else the
error stays.
"""

import os
import posix
from collections.abc import Callable, Iterable
from typing import Any

_NAMES = ("chmod", "chown", "lchown", "utime")
_own: tuple[str, ...] = ()
# In a container, because `paths` replaces the functions that a module holds by name.
_real = {"getcwd": os.getcwd}


def install() -> None:
    """Put the tolerant functions in place; call it before `paths` wraps them."""
    for name in _NAMES:
        real = getattr(os, name)
        tolerant = _tolerant(real)
        for supported in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if real in supported:
                supported.add(tolerant)
        setattr(os, name, tolerant)
        setattr(posix, name, tolerant)


def tolerate_in(*directories: str) -> None:
    """From now on, files below `directories` are the job's own."""
    global _own
    _own = tuple(os.path.realpath(directory) + "/" for directory in directories)


def tolerate_also(directories: Iterable[str]) -> None:
    """The same for further `directories`; writing to a read-only one fails before this matters."""
    global _own
    _own += tuple(os.path.realpath(directory) + "/" for directory in directories)


def _tolerant(function: Callable[..., None]) -> Callable[..., None]:
    def wrapper(path: Any, *args: Any, **kwargs: Any) -> None:
        try:
            return function(path, *args, **kwargs)
        except PermissionError:
            if not _is_own(path):
                raise
            os.stat(path)  # a file that does not exist must be an error
            return None

    wrapper.__name__ = wrapper.__qualname__ = function.__name__
    wrapper.__doc__ = function.__doc__
    wrapper.__module__ = "posix"
    signature = getattr(function, "__text_signature__", None)
    wrapper.__text_signature__ = signature  # type: ignore[attr-defined]
    return wrapper


def _is_own(path: Any) -> bool:
    if isinstance(path, int):
        return False
    absolute = os.path.join(_real["getcwd"](), os.fsdecode(path))
    return (os.path.realpath(absolute) + "/").startswith(_own)
