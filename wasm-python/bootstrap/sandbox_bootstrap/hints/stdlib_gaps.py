"""Names that the standard library of a runtime lacks, and what to say about them."""

import sys

# Modules that a WASI Python lacks and a native one has.
NATIVE_ONLY = frozenset(
    """
    _interpchannels _interpqueues _interpreters _posixshmem _ssl ctypes fcntl grp mmap pwd readline
    resource ssl syslog termios
    """.split()
)

# The same for names in its modules. Constants of these modules are in capitals and need no list.
_NATIVE_NAMES = {
    "os": """
        chown chroot copy_file_range ctermid dup2 eventfd execl execle execlp execv execve execvp
        fchdir fchmod fchown fork forkpty fstatvfs fwalk getgrouplist getgroups getloadavg getlogin
        getpgid getpgrp getpriority getrandom getsid getxattr kill killpg lchown listxattr lockf
        major makedev memfd_create minor mknod nice openpty pidfd_open pipe pipe2 posix_fallocate
        posix_spawn posix_spawnp preadv pwritev readv register_at_fork removexattr
        sched_getaffinity sched_getparam sched_getscheduler sched_setaffinity sendfile setgid
        setpgid setpriority setsid setuid setxattr spawnl spawnlp spawnv spawnve spawnvp sync
        tcgetpgrp timerfd_create ttyname unshare wait wait3 wait4 waitid waitpid
        waitstatus_to_exitcode writev""",
    "signal": """
        getitimer pause pidfd_send_signal pthread_kill pthread_sigmask siginterrupt sigpending
        sigtimedwait sigwait sigwaitinfo valid_signals""",
    "socket": """
        fromfd getnameinfo getprotobyname getservbyname getservbyport if_nameindex inet_ntoa
        socketpair""",
    "time": "clock_settime pthread_getcpuclockid thread_time_ns",
}

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
    "curses": _NO_TERMINAL,
    "idlelib": _NO_SCREEN,
    "msvcrt": _ONLY_WINDOWS,
    "tkinter": _NO_SCREEN,
    "turtle": _NO_SCREEN,
    "winreg": _ONLY_WINDOWS,
    "winsound": _ONLY_WINDOWS,
}


def native_name(error: BaseException | None) -> str | None:
    """`module.name` if `error` is about a name that only the native runtime's library has."""
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
