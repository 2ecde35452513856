"""What of the standard library the guest, or both runtimes, cannot have: honest errors that name a way out."""

import sys

from .errors import NeedsNative

# Modules that a WASI Python lacks and a native one has.
NATIVE_ONLY = frozenset("_ssl ctypes fcntl grp mmap pwd readline resource ssl syslog termios".split())

# Names of its modules likewise; constants of these modules are in capitals and need no list.
_NATIVE_NAMES = {
    "os": """chown chroot copy_file_range ctermid dup2 eventfd execl execle execlp execv execve execvp fchdir fchmod fchown
        fork forkpty fstatvfs fwalk getgrouplist getgroups getloadavg getlogin getpgid getpgrp getpriority getrandom getsid
        getxattr kill killpg lchown listxattr lockf major makedev memfd_create minor mknod nice openpty pidfd_open pipe pipe2
        posix_fallocate posix_spawn posix_spawnp preadv pwritev readv register_at_fork removexattr sched_getaffinity
        sched_getparam sched_getscheduler sched_setaffinity sendfile setgid setpgid setpriority setsid setuid setxattr spawnl
        spawnlp spawnv spawnve spawnvp sync tcgetpgrp timerfd_create ttyname unshare wait wait3 wait4 waitid waitpid
        waitstatus_to_exitcode writev""",
    "signal": """getitimer pause pidfd_send_signal pthread_kill pthread_sigmask siginterrupt sigpending sigtimedwait sigwait
        sigwaitinfo valid_signals""",
    "socket": "fromfd getnameinfo getprotobyname getservbyname getservbyport if_nameindex inet_ntoa socketpair",
    "time": "clock_settime pthread_getcpuclockid thread_time_ns",
}

_NO_SCREEN = "there is no screen here; draw with matplotlib, figures are shown without a window"
_NO_TERMINAL = "there is no terminal here; use print()"
_NO_WORKERS = "a job has no worker processes; use a plain loop"
_ONLY_WINDOWS = "it exists on Windows only"

# Modules that neither runtime has.
NOWHERE = {
    "_tkinter": _NO_SCREEN,
    "pygame": _NO_SCREEN,
    "PyQt5": _NO_SCREEN,
    "PyQt6": _NO_SCREEN,
    "PySide6": _NO_SCREEN,
    "_curses": _NO_TERMINAL,
    "_multiprocessing": _NO_WORKERS,
    "curses": _NO_TERMINAL,
    "idlelib": _NO_SCREEN,
    "msvcrt": _ONLY_WINDOWS,
    "tkinter": _NO_SCREEN,
    "turtle": _NO_SCREEN,
    "winreg": _ONLY_WINDOWS,
    "winsound": _ONLY_WINDOWS,
}

_request = None


def native_name(error: BaseException | None) -> str | None:
    """`module.name` if `error` is about the want of a name that only the native runtime's library has."""
    if isinstance(error, AttributeError):
        module, name = getattr(error.obj, "__name__", None), error.name
    elif isinstance(error, ImportError):
        module, name = error.name, error.name_from
    else:
        return None
    if not isinstance(module, str) or not isinstance(name, str) or module not in _NATIVE_NAMES:
        return None
    if getattr(error, "obj", sys.modules.get(module)) is not sys.modules.get(module):
        return None
    return f"{module}.{name}" if name.isupper() or name in _NATIVE_NAMES[module].split() else None


def install(request) -> None:
    """Remember what the job may ask for; the snapshot has the entry points replaced."""
    global _request
    _request = request


def forget() -> None:
    """No job is running."""
    global _request
    _request = None


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
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        multiprocessing.process.BaseProcess.start = _start_worker
        multiprocessing.Pool = multiprocessing.context.BaseContext.Pool = _start_worker
    workers = sys.modules.get("concurrent.futures.process")
    if workers is not None:
        workers.ProcessPoolExecutor.__init__ = _start_worker


def rerun_natively(module: str) -> None:
    """Give this attempt up.  The report goes out first: the job might swallow the exception."""
    from . import report

    report.send(exit="needs_native", code=report.EXCEPTION_CODE, module=module, how="attempt")
    raise NeedsNative(module, "attempt")


def prefer_native(module: str) -> None:
    """Rerun natively if `module` is to be had there; else return, and the guest does what it can."""
    if _request is not None and _request.native == "on" and module in _request.native_modules:
        rerun_natively(module)


def native_function(name: str):
    """A stand-in for the function `name`, which only the native runtime has."""

    def needs_native(*_args, **_kwargs):
        raise NotImplementedError(f"{name}() {_missing_native(name)}")

    needs_native.__module__, _, needs_native.__name__ = name.rpartition(".")
    needs_native.__qualname__ = needs_native.__name__
    return needs_native


def _start_worker(*_args, **_kwargs):
    raise PermissionError(_NO_WORKERS)


def refuse_process(command):
    """Say that no process can be started, and what to do instead."""
    raise PermissionError(
        f"no process can be started here ({command!r}): do it in Python (files: os, shutil, pathlib; archives: zipfile)"
    )


def _missing_native(what: str) -> str:
    """Rerun natively, or the words why that cannot be."""
    if _request is not None and _request.native == "on":
        rerun_natively(what)
    why = _request.native_why if _request is not None else "a snapshot is being made"
    return f"needs the native runtime, which is off: {why}"


def _start_thread(*_args, **_kwargs):
    raise RuntimeError(f"can't start new thread: that {_missing_native('threading')}")


def _start_process(self, args=None, *_args, **_kwargs):
    self._child_created = False  # what Popen.__del__ looks at
    self.returncode = None
    refuse_process(args)
