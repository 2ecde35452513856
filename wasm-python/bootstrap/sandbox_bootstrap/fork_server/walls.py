"""Confines a forked child with the Landlock rules and the seccomp filter that the server made.

This file makes the system calls. What they allow is decided in `src/native/policy/`.
"""

import ctypes
import os
import signal
import struct
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
SECCOMP_MODE_FILTER = 2
SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_NEW_LISTENER = 8
SYS_LANDLOCK_ADD_RULE = 445  # the same on every architecture
SYS_LANDLOCK_RESTRICT_SELF = 446
LANDLOCK_RULE_PATH_BENEATH = 1
LANDLOCK_ACCESS_FS_READ_FILE = 1 << 2
INSTRUCTION_SIZE = 8  # struct sock_filter
OPERAND_OFFSET = 4
HIGHEST_FD = 1 << 16

_libc = ctypes.CDLL(None, use_errno=True)
# Looked up now: binding a symbol may read files, which a confined process cannot.
_prctl = _libc.prctl
_syscall = _libc.syscall


def adopt_orphans() -> None:
    """Make the orphans among this process's descendants its children."""
    _call(_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends."""
    _call(_prctl, PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def let_server_answer(walls: dict[str, Any]) -> int:
    """Put on the filter that leaves calls to the server; returns its listener.

    A filter of its own, and an early one: what hands the listener over is not in a job's table.
    """
    program, flags = _program(walls["asking"], []), SECCOMP_FILTER_FLAG_NEW_LISTENER
    seccomp = walls["seccomp"]
    return _call(_syscall, seccomp, SECCOMP_SET_MODE_FILTER, flags, ctypes.byref(program))


def put_on(walls: dict[str, Any], ruleset: int, kept: list[int]) -> None:
    """Confine this process for good, and close every descriptor but the streams and `kept`.

    The numbers continue those of `child.become_job`.
    """
    # 7. Landlock before seccomp, whose filter refuses Landlock's calls. `no_new_privs` is inherited
    #    from the parent.
    own_files = [_allow_own_file(ruleset, name) for name in walls["own_proc_files"]]
    _call(_syscall, SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0)
    # 8. Close what is not the job's. The files just allowed stay open, because their rules hold for
    #    open files, not for names.
    close_all_but(*own_files, *kept)
    # 9. seccomp last. The kernel copies the program, so its address is needed for this call only.
    program = _program(walls["filter"], walls["pid_slots"])
    _call(_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)


def close_all_but(*kept: int) -> None:
    """Close every descriptor except for the three streams and `kept`."""
    start = 3
    for fd in sorted(kept):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, HIGHEST_FD)


def _allow_own_file(ruleset: int, name: str) -> int:
    """Let this process read its own `/proc/self/<name>`; returns the file's descriptor."""
    fd = os.open(f"/proc/self/{name}", os.O_PATH | os.O_CLOEXEC)
    rule = ctypes.c_char_p(struct.pack("=Qi", LANDLOCK_ACCESS_FS_READ_FILE, fd))
    _call(_syscall, SYS_LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0)
    return fd


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _program(base64: str, pid_slots: list[int]) -> _Program:
    """A filter of the server's, with this process's pid where it needs it."""
    from binascii import a2b_base64

    code = bytearray(a2b_base64(base64))
    for slot in pid_slots:
        struct.pack_into("=I", code, slot * INSTRUCTION_SIZE + OPERAND_OFFSET, os.getpid())
    program = _Program()
    program.instructions = (ctypes.c_char * len(code)).from_buffer(code)  # keeps the memory alive
    program.length = len(code) // INSTRUCTION_SIZE
    program.filter = ctypes.addressof(program.instructions)
    return program


def _call(function: Any, *arguments: Any) -> int:
    """Call a function of the C library; raises OSError with its errno."""
    ctypes.set_errno(0)
    result = function(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result < 0:
        errno = ctypes.get_errno()
        raise OSError(errno, os.strerror(errno))
    return result
