"""The job says `/mnt/data` and `/tmp`, the files are elsewhere, and both sides agree.

Nothing can be mounted here. So the functions of `os` and `io` that take a path translate it on the
way in, and what they return (names, errors, the current directory) on the way out. For C code that
opens files `native-python/job_paths.c` does the first half, by the same rules. This is convenience,
not a wall: the kernel keeps the walls.
"""

import builtins
import ctypes
import io
import os
import posix
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import update_wrapper
from types import ModuleType
from typing import Any

from ..host import library_paths, own_builtins
from . import file_metadata

# The functions of `os` that take paths, and how many of their first arguments are paths.
_PATH_ARGUMENTS = {
    "access": 1, "chdir": 1, "chmod": 1, "chown": 1, "getxattr": 1, "lchown": 1, "link": 2,
    "listdir": 1, "listxattr": 1, "lstat": 1, "mkdir": 1, "mkfifo": 1, "mknod": 1, "open": 1,
    "pathconf": 1, "readlink": 1, "remove": 1, "removexattr": 1, "rename": 2, "replace": 2,
    "rmdir": 1, "setxattr": 1, "stat": 1, "statvfs": 1, "symlink": 2, "truncate": 1, "unlink": 1,
    "utime": 1,
}  # fmt: skip
_KEYWORDS = ("path", "src", "dst")
_PACKAGE = os.path.dirname(os.path.dirname(__file__))

_to_host_rules: list[tuple[str, str]] = []  # (what the job says, what the kernel knows)
_to_job_rules: list[tuple[str, str]] = []
# Directories that really are below a name that is mapped, with a slash at the end,
_real: tuple[str, ...] = ()
_real_parents: frozenset[str] = frozenset()  # and the directories that lead to them.

_BUILTIN = type(io.open)
_replaced: dict[Any, Any] = {}  # the real function -> ours

_real_open = io.open
_real_open_code = io.open_code
_real_scandir = os.scandir
_real_getcwd = os.getcwd


def install() -> None:
    """Put the translating functions in place; call it before modules take the real ones."""
    if builtins.open is _open:
        return
    for name, count in _PATH_ARGUMENTS.items():
        _replace_in_os(name, _translating(getattr(os, name), count))
    _replace_in_os("scandir", _scandir)
    _replace_in_os("getcwd", _getcwd)
    _replace_in_os("getcwdb", _getcwdb)
    c_io: Any = sys.modules["_io"]
    builtins.open = io.open = c_io.open = own_builtins.names["open"] = _open
    io.open_code = c_io.open_code = _open_code
    _replaced[_real_open] = _open
    _replace_earlier_references()


def map_directory(workdir: str, hostdir: str, mounts: Iterable[tuple[str, str]] = ()) -> None:
    """Map `workdir` to `hostdir`, `/tmp` to the job's own directory, and `mounts` likewise."""
    global _real, _real_parents
    install()
    temporary = os.environ.get("TMPDIR", "/tmp")
    named = [(workdir, hostdir or workdir), ("/tmp", temporary), *mounts]
    rules = [(job, host.rstrip("/")) for job, host in named if job != host]
    _to_host_rules.clear()  # the names that follow are real ones
    real = {host for _, host in rules} | {sys.prefix, sys.base_prefix, _PACKAGE, *sys.path}
    # Caches (matplotlib's list of fonts) hold names without links.
    real |= {os.path.realpath(path) for path in real}
    mapped = tuple(job + "/" for job, _ in rules)
    below = [path for path in real if path.startswith(mapped)]
    _real = tuple(path + "/" for path in below)
    parents = frozenset(parent for path in below for parent in _up(path))
    _real_parents = parents - {job for job, _ in rules}
    _to_host_rules[:] = rules
    _to_job_rules[:] = sorted(((host, job) for job, host in rules), key=lambda rule: -len(rule[0]))
    for host, job in _to_job_rules:
        library_paths.show(host, job)
    real_names = [(path, "") for path in below] + [(path, "=") for path in _real_parents]
    _tell_library(real_names + rules)


def _tell_library(rules: list[tuple[str, str]]) -> None:
    """Give the rules to the library that translates for C code; it may not be loaded."""
    library = ctypes.CDLL(None)
    if hasattr(library, "sandbox_map_paths"):
        names = (os.fsencode(name) + b"\0" for rule in rules for name in rule)
        library.sandbox_map_paths(b"".join(names) + b"\0")


def _up(path: str) -> Iterator[str]:
    """`path` and the directories above it, without the root."""
    while path not in ("/", ""):
        yield path
        path = os.path.dirname(path)


def to_host(path: Any) -> Any:
    """The real name of what the job calls `path`; descriptors and other paths stay as they are."""
    text = path
    if type(path) is not str:
        if isinstance(path, int) or path is None:
            return path
        try:
            text = os.fspath(path)
        except TypeError:
            return path  # the real function complains
        if isinstance(text, bytes):
            mapped = to_host(os.fsdecode(text))
            return path if mapped == os.fsdecode(text) else os.fsencode(mapped)
    for job, host in _to_host_rules:
        if text.startswith(job) and (len(text) == len(job) or text[len(job)] == "/"):
            if text in _real_parents or text.startswith(_real):
                return path
            return host + text[len(job) :]
    return path


def to_job(path: Any) -> Any:
    """What the job calls the real `path`."""
    if isinstance(path, bytes):
        return os.fsencode(to_job(os.fsdecode(path)))
    if isinstance(path, str):
        for host, job in _to_job_rules:
            if path.startswith(host) and (len(path) == len(host) or path[len(host)] == "/"):
                return job + path[len(host) :]
    return path


def say_job_names(error: OSError) -> None:
    """Make an error name the paths as the job does."""
    if error.filename is not None:
        error.filename = to_job(error.filename)
    if error.filename2 is not None:
        error.filename2 = to_job(error.filename2)


def _translating(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """`function` with its first `count` arguments translated."""
    gives_path = function.__name__ == "readlink"

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        mapped = [to_host(argument) for argument in args[:count]]
        for key in _KEYWORDS:
            if key in kwargs:
                kwargs[key] = to_host(kwargs[key])
        try:
            result = function(*mapped, *args[count:], **kwargs)
        except OSError as error:
            say_job_names(error)
            raise
        return to_job(result) if gives_path else result

    return wrapper


def _replace_in_os(name: str, replacement: Any) -> None:
    """Put `replacement` wherever `os` and the import system look `name` up."""
    real = getattr(os, name)
    update_wrapper(replacement, real)
    for supported in (
        os.supports_dir_fd,
        os.supports_effective_ids,
        os.supports_fd,
        os.supports_follow_symlinks,
    ):
        if real in supported:
            supported.add(replacement)
    _replaced[real] = replacement
    setattr(os, name, replacement)
    setattr(posix, name, replacement)


def _replace_earlier_references() -> None:
    """Replace real functions that earlier modules took by name (`from builtins import open`)."""
    for module in list(sys.modules.values()):
        if not isinstance(module, ModuleType) or module is sys.modules[__name__]:
            continue
        names = vars(module)
        for name, value in list(names.items()):
            if isinstance(value, _BUILTIN) and value in _replaced:
                names[name] = _replaced[value]
    globber = getattr(sys.modules.get("glob"), "_StringGlobber", None)
    for name in ("lstat", "scandir"):  # the real ones in 3.13, and in no other version
        if getattr(globber, name, None) in _replaced:
            setattr(globber, name, staticmethod(getattr(os, name)))


def _open(file: Any, *args: Any, **kwargs: Any) -> Any:
    mapped = to_host(file)
    if mapped is file:
        return _real_open(file, *args, **kwargs)
    try:
        stream = _real_open(mapped, *args, **kwargs)
    except OSError as error:
        say_job_names(error)
        raise
    _set_name(stream, os.fspath(file))
    return stream


update_wrapper(_open, _real_open)


def _set_name(stream: Any, name: Any) -> None:
    """Make `stream.name` what the job passed."""
    stream = getattr(stream, "buffer", stream)
    getattr(stream, "raw", stream).name = name


def _open_code(path: str) -> Any:
    return _real_open_code(to_host(path))


def _getcwd() -> Any:
    return to_job(_real_getcwd())


def _getcwdb() -> bytes:
    return os.fsencode(_getcwd())


def _scandir(path: Any = ".") -> Any:
    mapped = to_host(path)
    if mapped is path and not file_metadata.is_any_changed():
        return _real_scandir(path)
    directory = "" if isinstance(path, int) else os.fspath("." if path is None else path)
    try:
        return _Scan(_real_scandir(mapped), directory)
    except OSError as error:
        say_job_names(error)
        raise


class _Scan:
    """The iterator of scandir() over a translated directory."""

    def __init__(self, entries: Any, directory: Any) -> None:
        self._entries = entries
        self._directory = directory

    def __iter__(self) -> "_Scan":
        return self

    def __next__(self) -> "_Entry":
        return _Entry(next(self._entries), self._directory)

    def __enter__(self) -> "_Scan":
        return self

    def __exit__(self, *_exception: object) -> None:
        self._entries.close()

    def close(self) -> None:
        """As of the real iterator."""
        self._entries.close()


class _Entry:
    """An os.DirEntry whose `path` is what the job says."""

    __slots__ = ("_entry", "path")

    def __init__(self, entry: Any, directory: Any) -> None:
        self._entry = entry
        self.path = os.path.join(directory, entry.name)

    def __getattr__(self, name: str) -> Any:  # name, is_dir(), is_symlink(), inode(), …
        return getattr(self._entry, name)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """With the mode and times that the job has set."""
        return file_metadata.told(self._entry.stat(follow_symlinks=follow_symlinks))

    def __fspath__(self) -> Any:
        return self.path

    def __repr__(self) -> str:
        return f"<DirEntry {self._entry.name!r}>"
