"""Fills in what a WASI build's standard library lacks and plain code relies on.

Only names that are missing are set.  What can be told or computed is; what only the native runtime can do sends the
job there.
"""

import _socket
import errno
import faulthandler
import hashlib
import hmac
import os
import platform
import shutil
import signal
import socket
import threading
import time

from . import network, request, stdlib_gaps

_HOST_NAME = "sandbox"
_USER = 1000

# Functions that the native runtime has: called here, they send the job there. Those that the guest has can only fail in it.
_NATIVE_FUNCTIONS = (
    (faulthandler, "dump_traceback_later"),
    (hashlib, "scrypt"),
    (os, "dup"),
    (os, "mkfifo"),
    (os, "statvfs"),
    (shutil, "disk_usage"),
    (signal, "alarm"),
    (signal, "setitimer"),
)


def install() -> None:
    """Add the missing functions."""
    additions = (
        (hashlib, "pbkdf2_hmac", pbkdf2_hmac),
        (_socket, "getaddrinfo", _resolve),
        (os, "getegid", lambda: _USER),
        (os, "geteuid", lambda: _USER),
        (os, "getgid", lambda: _USER),
        (os, "getppid", lambda: 1),
        (os, "get_terminal_size", _terminal_size),
        (os, "getuid", lambda: _USER),
        (os, "system", _system),
        (os, "umask", lambda mask: 0o022),
        (socket, "gethostname", lambda: _HOST_NAME),
        (socket, "gethostbyname", _resolve),
        (socket, "gethostbyname_ex", _resolve),
        (socket, "gethostbyaddr", _resolve),
        (threading, "get_native_id", threading.get_ident),
        (time, "thread_time", time.process_time),
        (time, "tzset", lambda: None),
    )
    for module, name, function in additions:
        if not hasattr(module, name):
            setattr(module, name, function)
    for module, name in _NATIVE_FUNCTIONS:
        setattr(module, name, stdlib_gaps.native_function(f"{module.__name__}.{name}"))
    shutil.__all__.append("disk_usage")
    platform.libc_ver = _libc_version(platform.libc_ver)
    _refuse_sockets()


def _libc_version(original):
    """What is asked for without a file is read from the interpreter's, and there is none."""

    def libc_ver(executable=None, lib="", version="", chunksize=16384):
        return original(executable, lib, version, chunksize) if executable else (lib, version)

    return libc_ver


def _refuse_sockets() -> None:
    """Give the error of a new socket its words; those that are opened by descriptor are left alone."""
    original = socket.socket.__init__

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        if fileno is not None:
            return original(self, family, type, proto, fileno)
        _go_where_the_network_is()
        raise OSError(errno.ENOTSUP, f"Not supported: {network.sentence(request.current)}")

    socket.socket.__init__ = __init__


def pbkdf2_hmac(hash_name: str, password, salt, iterations: int, dklen: int | None = None) -> bytes:
    """PBKDF2 (RFC 8018) with HMAC: OpenSSL's comes with the native runtime only."""
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    keyed = hmac.new(bytes(password), None, hash_name)
    if dklen is None:
        dklen = keyed.digest_size
    if dklen < 1:
        raise ValueError("key length must be greater than 0.")
    derived = b""
    block_number = 0
    while len(derived) < dklen:
        block_number += 1
        step = _keyed_digest(keyed, bytes(salt) + block_number.to_bytes(4))
        block = int.from_bytes(step)
        for _ in range(iterations - 1):
            step = _keyed_digest(keyed, step)
            block ^= int.from_bytes(step)
        derived += block.to_bytes(keyed.digest_size)
    return derived[:dklen]


def _keyed_digest(keyed, data: bytes) -> bytes:
    keyed = keyed.copy()  # spares hashing the key again
    keyed.update(data)
    return keyed.digest()


def _terminal_size(fd=1):
    raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))


def _system(command):
    stdlib_gaps.refuse_process(command)


def _go_where_the_network_is() -> None:
    if request.current.network and request.current.can_rerun_natively:
        stdlib_gaps.rerun_natively("socket")


def _resolve(name, *_arguments):
    _go_where_the_network_is()
    raise socket.gaierror(socket.EAI_FAIL, f"no address for {name!r}: {network.sentence(request.current)}")
