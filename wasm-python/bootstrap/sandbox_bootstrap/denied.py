"""Hints for errors whose cause is the sandbox itself: there are no other processes. (For the network: `network`.)"""

import errno
import os

from . import report
from .errors import causes

_PROCESSES = "no process can be started here: do it in Python (files: os, shutil, pathlib; archives: zipfile)"
_WORKERS = "a job has no worker processes: use a plain loop, or threads"
_BY_PLACE = (
    ("/multiprocessing/", _WORKERS),
    ("/concurrent/futures/process.py", _WORKERS),
    ("/subprocess.py", _PROCESSES),
)
_SHELL_NOT_STARTED = 127 << 8  # what system() gives when there is no shell
_ERRNOS = (errno.EPERM, errno.EACCES, errno.ENOTSUP)


def hint(error: BaseException | None) -> None:
    """Note the way out if `error`, or one that it came from, is a wall of the sandbox."""
    text = next(filter(None, map(_hint_for, causes(error))), "")
    if text:
        report.note(text)


def watch_system() -> None:
    """Native runtime: `os.system` tells nobody why it fails."""
    real = os.system

    def system(command):
        status = real(command)
        if status == _SHELL_NOT_STARTED:
            report.note(_PROCESSES)
        return status

    system.__doc__ = real.__doc__
    os.system = system


def _hint_for(error: BaseException) -> str:
    if not isinstance(error, OSError) or error.errno not in _ERRNOS:
        return ""
    places = []
    entry = error.__traceback__
    while entry is not None:
        places.append(entry.tb_frame.f_code.co_filename)
        entry = entry.tb_next
    return next((text for part, text in _BY_PLACE if any(part in place for place in places)), "")
