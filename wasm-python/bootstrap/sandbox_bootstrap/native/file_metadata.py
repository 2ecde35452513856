"""Mode and times of files cannot be changed here, so they are remembered instead.

The seccomp filter refuses these calls altogether, because they could change a file that is
otherwise read-only. `shutil.copy`, `Path.touch` and the like would then fail over something that no
job needs. So for the job's own files the functions of `os` remember what they are asked for, and
`os.stat` tells it. Anywhere else the error stays.
"""

import os
import posix
import stat
import time
from collections.abc import Callable, Iterable
from typing import Any

_MODE_BITS = 0o7777

_own: tuple[str, ...] = ()
# In a container, because `paths` replaces the functions that a module holds by name.
_real = {name: getattr(os, name) for name in ("getcwd", "lstat", "stat")}


class _Change:
    """What the job said about one file."""

    mode: int | None = None
    times: tuple[int, int] | None = None  # last access and change, in nanoseconds
    changed_at = 0  # the real time of its last change when it said so

    def told_by(self, found: os.stat_result) -> os.stat_result:
        """The file's state as the job expects it."""
        reduced: Any = found.__reduce__()[1]
        fields, more = list(reduced[0]), dict(reduced[1])
        if self.mode is not None:
            fields[0] = stat.S_IFMT(found.st_mode) | self.mode
        if self.times is not None and found.st_mtime_ns == self.changed_at:
            for place, name, ns in ((7, "st_atime", self.times[0]), (8, "st_mtime", self.times[1])):
                fields[place] = ns // 10**9
                more.update({name: ns / 10**9, f"{name}_ns": ns})
        return os.stat_result(fields, more)


_changes: dict[tuple[int, int], _Change] = {}  # by device and inode


def install() -> None:
    """Put our functions in place; call it before `paths` wraps them."""
    _put("chmod", _tolerant(os.chmod, _remember_mode))
    _put("utime", _tolerant(os.utime, _remember_times))
    for name in ("chown", "lchown"):
        _put(name, _tolerant(getattr(os, name), _check_owner))
    for name in ("stat", "lstat", "fstat"):
        _put(name, _telling(getattr(os, name)))
    for name in ("unlink", "remove"):
        _put(name, _forgetting(getattr(os, name)))


def tolerate_in(*directories: str) -> None:
    """From now on, files below `directories` are the job's own."""
    global _own
    _own = tuple(os.path.realpath(directory) + "/" for directory in directories)
    _changes.clear()


def tolerate_also(directories: Iterable[str]) -> None:
    """The same for further `directories`; writing to a read-only one fails before this matters."""
    global _own
    _own += tuple(os.path.realpath(directory) + "/" for directory in directories)


def is_any_changed() -> bool:
    """Whether the job has set the mode or the times of any file."""
    return bool(_changes)


def told(found: os.stat_result) -> os.stat_result:
    """A file's state with what the job has set."""
    change = _changes.get((found.st_dev, found.st_ino))
    return found if change is None else change.told_by(found)


def _put(name: str, function: Any) -> None:
    real = getattr(os, name)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = real.__doc__
    function.__module__ = "posix"
    function.__text_signature__ = getattr(real, "__text_signature__", None)
    for supported in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if real in supported:
            supported.add(function)
    setattr(os, name, function)
    setattr(posix, name, function)


def _tolerant(function: Callable[..., None], remember: Callable[..., None]) -> Callable[..., None]:
    def wrapper(path: Any, *args: Any, **kwargs: Any) -> None:
        try:
            return function(path, *args, **kwargs)
        except PermissionError:
            if not _is_own(path) or kwargs.get("dir_fd") is not None:
                raise
            look = _real["stat" if kwargs.pop("follow_symlinks", True) else "lstat"]
            found = look(path)  # a file that does not exist must be an error
            kwargs.pop("dir_fd", None)
            if function.__name__ == "lchown":
                found = _real["lstat"](path)
            remember(found, *args, **kwargs)

    return wrapper


def _change_of(found: os.stat_result) -> _Change:
    return _changes.setdefault((found.st_dev, found.st_ino), _Change())


def _remember_mode(found: os.stat_result, mode: int) -> None:
    _change_of(found).mode = mode & _MODE_BITS


def _remember_times(
    found: os.stat_result, times: Any = None, *, ns: tuple[int, int] | None = None
) -> None:
    if times is not None:
        ns = (round(times[0] * 10**9), round(times[1] * 10**9))
    elif ns is None:
        now = time.time_ns()
        ns = (now, now)
    change = _change_of(found)
    change.times, change.changed_at = ns, found.st_mtime_ns


def _check_owner(found: os.stat_result, uid: int, gid: int) -> None:
    """Giving a file to whom it belongs changes nothing; nobody but root may do more."""
    if uid not in (-1, found.st_uid) or gid not in (-1, found.st_gid):
        raise PermissionError(1, "Operation not permitted")


def _telling(real: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
    def look(*args: Any, **kwargs: Any) -> os.stat_result:
        found = real(*args, **kwargs)
        return told(found) if _changes else found

    return look


def _forgetting(real: Callable[..., None]) -> Callable[..., None]:
    def remove(path: Any, **kwargs: Any) -> None:
        """An inode may be used again."""
        found = _real["lstat"](path, **kwargs) if _changes else None
        real(path, **kwargs)
        if found is not None and found.st_nlink == 1:
            _changes.pop((found.st_dev, found.st_ino), None)

    return remove


def _is_own(path: Any) -> bool:
    if isinstance(path, int):
        return False
    absolute = os.path.join(_real["getcwd"](), os.fsdecode(path))
    return (os.path.realpath(absolute) + "/").startswith(_own)
