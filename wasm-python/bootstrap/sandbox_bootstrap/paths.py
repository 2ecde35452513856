"""Native runtime: the job says `/mnt/data` and `/tmp`, the files stand elsewhere, and both sides agree.

No mount is possible there, so the functions of `os` and `io` that take a path translate it on the way in, and what
they give back (names, errors, the current directory) on the way out.  This is convenience, not a wall: the walls are
the kernel's, and C code that opens files itself sees the real names.
"""

import builtins
import io
import os
import posix
import sys
from functools import update_wrapper

# The functions of `os` that take paths, and how many of their first arguments are paths.
_PATH_ARGUMENTS = {
    "access": 1, "chdir": 1, "chmod": 1, "chown": 1, "getxattr": 1, "lchown": 1, "link": 2, "listdir": 1,
    "listxattr": 1, "lstat": 1, "mkdir": 1, "mkfifo": 1, "mknod": 1, "open": 1, "pathconf": 1, "readlink": 1,
    "remove": 1, "removexattr": 1, "rename": 2, "replace": 2, "rmdir": 1, "setxattr": 1, "stat": 1, "statvfs": 1,
    "symlink": 2, "truncate": 1, "unlink": 1, "utime": 1,
}  # fmt: skip
_KEYWORDS = ("path", "src", "dst")

_to_host_rules: list[tuple[str, str]] = []  # (what the job says, what the kernel knows)
_to_job_rules: list[tuple[str, str]] = []
_real: tuple[str, ...] = ()  # directories that really are below a name that is mapped, with a slash behind
_real_parents: frozenset[str] = frozenset()  # and those that lead to them

_BUILTIN = type(io.open)
_replaced: dict = {}  # the real function -> ours

_real_open = io.open
_real_open_code = io.open_code
_real_scandir = os.scandir
_real_getcwd = os.getcwd


def install() -> None:
    """Put the translating functions in place; before other modules take references to the real ones."""
    if builtins.open is _open:
        return
    for name, count in _PATH_ARGUMENTS.items():
        _replace_in_os(name, _translating(getattr(os, name), count))
    _replace_in_os("scandir", _scandir)
    _replace_in_os("getcwd", _getcwd)
    _replace_in_os("getcwdb", _getcwdb)
    builtins.open = io.open = sys.modules["_io"].open = _open
    io.open_code = sys.modules["_io"].open_code = _open_code
    _replaced[_real_open] = _open
    _replace_earlier_references()


def map_directory(workdir: str, hostdir: str, mounts=()) -> None:
    """From now on `workdir` means `hostdir`, `/tmp` the job's own temporary directory, and each of `mounts` its own."""
    global _real, _real_parents
    install()
    rules = [(workdir, hostdir or workdir), ("/tmp", os.environ.get("TMPDIR", "/tmp")), *mounts]
    rules = [(job, host.rstrip("/")) for job, host in rules if job != host]
    _to_host_rules.clear()  # the names that follow are real ones
    real = {host for _, host in rules} | {sys.prefix, sys.base_prefix, os.path.dirname(__file__), *sys.path}
    # Caches (matplotlib's list of fonts) hold names without links.
    real |= {os.path.realpath(path) for path in real}
    real = [path for path in real if path.startswith(tuple(job + "/" for job, _ in rules))]
    _real = tuple(path + "/" for path in real)
    _real_parents = frozenset(parent for path in real for parent in _up(path)) - {job for job, _ in rules}
    _to_host_rules[:] = rules
    _to_job_rules[:] = sorted(((host, job) for job, host in rules), key=lambda rule: -len(rule[0]))


def _up(path: str):
    """`path` and the directories above it, but for the root."""
    while path not in ("/", ""):
        yield path
        path = os.path.dirname(path)


def to_host(path):
    """The real name of what the job calls `path`; anything else (descriptors, other paths) is given back as it is."""
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


def to_job(path):
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


def patch_sqlite(sqlite3) -> None:
    """SQLite opens files itself: translate the name that it is given."""
    real = sqlite3.connect

    def connect(database, *args, **kwargs):
        if isinstance(database, str) and database.startswith("file:/"):  # a URI
            path = "/" + database.removeprefix("file:").lstrip("/")
            return real("file:" + to_host(path), *args, **kwargs)
        return real(to_host(database), *args, **kwargs)

    sqlite3.connect = sqlite3.dbapi2.connect = update_wrapper(connect, real)


def patch_lxml(etree) -> None:
    """libxml2 opens files itself too; only parse() can be reached, the methods are those of an extension type."""
    real = etree.parse

    def parse(source, *args, **kwargs):
        return real(to_host(source), *args, **kwargs)

    etree.parse = update_wrapper(parse, real)


def _translating(function, count: int):
    """`function` with its first `count` arguments translated."""
    gives_path = function.__name__ == "readlink"

    def wrapper(*args, **kwargs):
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


def _replace_in_os(name: str, replacement) -> None:
    """Put `replacement` wherever `os` and the import system look `name` up."""
    real = getattr(os, name)
    update_wrapper(replacement, real)
    for supported in (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks):
        if real in supported:
            supported.add(replacement)
    _replaced[real] = replacement
    setattr(os, name, replacement)
    setattr(posix, name, replacement)


def _replace_earlier_references() -> None:
    """Modules imported before have taken some real functions by name (`from builtins import open`)."""
    for module in list(sys.modules.values()):
        if not isinstance(module, type(sys)) or module is sys.modules[__name__]:
            continue
        names = vars(module)
        for name, value in list(names.items()):
            if isinstance(value, _BUILTIN) and value in _replaced:
                names[name] = _replaced[value]
    globber = getattr(sys.modules.get("glob"), "_StringGlobber", None)
    if globber is not None:
        globber.lstat, globber.scandir = staticmethod(os.lstat), staticmethod(os.scandir)


def _open(file, *args, **kwargs):
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


def _set_name(stream, name) -> None:
    """Let `stream.name` be what the job passed."""
    stream = getattr(stream, "buffer", stream)
    getattr(stream, "raw", stream).name = name


def _open_code(path):
    return _real_open_code(to_host(path))


def _getcwd():
    return to_job(_real_getcwd())


def _getcwdb():
    return os.fsencode(_getcwd())


def _scandir(path="."):
    mapped = to_host(path)
    if mapped is path:
        return _real_scandir(path)
    try:
        return _Scan(_real_scandir(mapped), os.fspath(path))
    except OSError as error:
        say_job_names(error)
        raise


class _Scan:
    """The iterator of scandir() over a translated directory."""

    def __init__(self, entries, directory):
        self._entries = entries
        self._directory = directory

    def __iter__(self):
        return self

    def __next__(self):
        return _Entry(next(self._entries), self._directory)

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self._entries.close()

    def close(self):
        self._entries.close()


class _Entry:
    """An os.DirEntry whose `path` is what the job says."""

    __slots__ = ("_entry", "path")

    def __init__(self, entry, directory):
        self._entry = entry
        self.path = os.path.join(directory, entry.name)

    def __getattr__(self, name):  # name, stat(), is_dir(), is_file(), is_symlink(), inode(), is_junction()
        return getattr(self._entry, name)

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<DirEntry {self._entry.name!r}>"
