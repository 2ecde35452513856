"""The lines of source files for our tracebacks, whatever became of `linecache`.

The functions are those of `linecache` that the module `traceback` calls.
"""

import sys
from os import stat
from stat import S_ISREG
from typing import Any

_LARGEST = 16 << 20  # bytes of a file that is read

_of_the_job: dict[str, list[str]] = {}
_of_files: dict[str, list[str]] = {}


def remember(filename: str, lines: list[str]) -> None:
    """Keep the lines of a job, which are in no file; each ends with a line feed."""
    _of_the_job[filename] = lines


def is_of_the_job(filename: str) -> bool:
    """Whether this is code that was sent, in this call or an earlier one of the session."""
    return filename in _of_the_job


def getline(filename: str, lineno: int, module_globals: Any = None) -> str:
    """Line `lineno`, from 1, with its line feed; "" if there is none."""
    lines = getlines(filename, module_globals)
    return lines[lineno - 1] if 1 <= lineno <= len(lines) else ""


def getlines(filename: str, module_globals: Any = None) -> list[str]:
    """All lines of a file; none if there is no such file."""
    for lines in (_of_the_job.get(filename), _in_linecache(filename), _of_files.get(filename)):
        if lines is not None:
            return lines
    lines = _of_files[filename] = _read(filename)
    return lines


def checkcache(filename: str | None = None) -> None:
    """Nothing to do: files are read when their lines are asked for."""


def lazycache(filename: str, module_globals: Any) -> bool:
    """Sources that a module's loader gives are left to `linecache`."""
    return False


def _getline_from_code(_code: object, _lineno: int) -> str:
    return ""


def _in_linecache(filename: str) -> list[str] | None:
    """Lines that the job or a library registered for code that it made."""
    cache = getattr(sys.modules.get("linecache"), "cache", None)
    entry = cache.get(filename) if type(cache) is dict else None
    lines = entry[2] if type(entry) is tuple and len(entry) == 4 else None
    return lines if type(lines) is list and all(type(line) is str for line in lines) else None


def _read(filename: str) -> list[str]:
    try:
        found = stat(filename)
        if not S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            return []
        with open(filename, "rb") as file:
            text = file.read(_LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError, MemoryError):
        return []
    return [line + "\n" for line in text.splitlines()]
