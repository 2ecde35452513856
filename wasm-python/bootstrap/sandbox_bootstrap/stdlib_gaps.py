"""What of the standard library the guest, or both runtimes, cannot have: honest errors that name a way out."""

import sys

from .errors import NeedsNative

# Modules that a WASI Python lacks and a native one has.
NATIVE_ONLY = frozenset({"_ssl", "ctypes", "fcntl", "grp", "mmap", "pwd", "readline", "resource", "ssl", "syslog", "termios"})  # fmt: skip

_NO_SCREEN = "there is no screen here; draw with matplotlib, figures are shown without a window"
_NO_TERMINAL = "there is no terminal here; use print()"
_ONLY_WINDOWS = "it exists on Windows only"

# Modules that neither runtime has.
NOWHERE = {
    "_tkinter": _NO_SCREEN,
    "pygame": _NO_SCREEN,
    "PyQt5": _NO_SCREEN,
    "PyQt6": _NO_SCREEN,
    "PySide6": _NO_SCREEN,
    "_curses": _NO_TERMINAL,
    "msvcrt": _ONLY_WINDOWS,
    "winreg": _ONLY_WINDOWS,
    "winsound": _ONLY_WINDOWS,
}

_request = None


def install(request) -> None:
    """Remember what the job may ask for; the snapshot has the entry points replaced."""
    global _request
    _request = request


def patch_loaded_modules() -> None:
    """Replace the entry points that would fail with an opaque error; cheap to repeat."""
    import _thread

    if _thread.start_new_thread is not _start_thread:
        _thread.start_new_thread = _thread.start_joinable_thread = _start_thread
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._start_joinable_thread = _start_thread
    subprocess = sys.modules.get("subprocess")
    if subprocess is not None:
        subprocess.Popen.__init__ = _start_process


def rerun_natively(module: str) -> None:
    """Give this attempt up.  The report goes out first: the job might swallow the exception."""
    from . import report

    report.send(exit="needs_native", code=report.EXCEPTION_CODE, module=module, how="attempt")
    raise NeedsNative(module, "attempt")


def _start_thread(*_args, **_kwargs):
    if _request is not None and _request.native == "on":
        rerun_natively("threading")
    why = _request.native_why if _request is not None else "a snapshot is being made"
    raise RuntimeError(f"can't start new thread: threads need the native runtime, which is off: {why}")


def _start_process(self, args=None, *_args, **_kwargs):
    self._child_created = False  # what Popen.__del__ looks at
    self.returncode = None
    raise PermissionError(
        f"no process can be started here ({args!r}): do it in Python (files: os, shutil, pathlib; archives: zipfile)"
    )
