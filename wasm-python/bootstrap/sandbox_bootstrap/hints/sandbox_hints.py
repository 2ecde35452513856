"""Hints for errors that the sandbox itself causes: no job can start a process.

Errors about the network are explained in `network`.
"""

import errno
import os
from typing import Any

from ..host import report, source_lines
from ..host.exceptions import causes

_PROCESSES = (
    "no process can be started here: do it in Python "
    "(files: os, shutil, pathlib; archives: zipfile)"
)
_CONNECTIONS = "a job cannot listen: use `multiprocessing.Pipe` or a queue"
_FORK = "no process can be started here; the work of `multiprocessing` runs in threads"
_BY_FILE = (("/multiprocessing/", _CONNECTIONS), ("/subprocess.py", _PROCESSES))
_SHELL_NOT_STARTED = 127 << 8  # what system() returns when there is no shell
_ERRNOS = (errno.EPERM, errno.EACCES, errno.ENOTSUP)


def hint(error: BaseException | None) -> None:
    """Note the way out if the sandbox caused `error` or one behind it."""
    text = next(filter(None, map(_hint_for, causes(error))), "")
    if text:
        report.note(text)


def watch_system() -> None:
    """Native runtime: note why `os.system` fails, which its status does not say."""
    real = os.system

    def system(command: Any) -> int:
        status = real(command)
        if status == _SHELL_NOT_STARTED:
            report.note(_PROCESSES)
        return status

    system.__doc__ = real.__doc__
    os.system = system


def _hint_for(error: BaseException) -> str:
    if not isinstance(error, OSError) or error.errno not in _ERRNOS:
        return ""
    if error.filename is None and _is_raised_by_fork(error):
        return _FORK
    files = []
    entry = error.__traceback__
    while entry is not None:
        files.append(entry.tb_frame.f_code.co_filename)
        entry = entry.tb_next
    return next((text for part, text in _BY_FILE if any(part in file for file in files)), "")


def _is_raised_by_fork(error: BaseException) -> bool:
    """Whether a line of the job itself, calling `fork`, raised it."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    if entry is None or not source_lines.is_of_the_job(entry.tb_frame.f_code.co_filename):
        return False
    line = source_lines.getline(entry.tb_frame.f_code.co_filename, entry.tb_lineno)
    return "fork(" in line
