"""Adds what a WASI build's standard library lacks and plain code relies on.

Only names that are missing are set. A function that can compute its answer does so. One that needs
the native runtime sends the job there.
"""

import _locale
import _socket
import errno
import faulthandler
import hashlib
import hmac
import locale as locale_module
import os
import platform
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

from ..hints import network
from ..host import request, reroute
from . import file_modes, local_time, stand_ins

_HOST_NAME = "sandbox"
_LOCALES = ("", "C", "POSIX", "C.UTF-8", "C.UTF8", "C.utf8")
_USER = 1000

# Functions that send the job to the native runtime. Where the guest has one, it can only fail.
_NATIVE_FUNCTIONS: tuple[tuple[Any, str], ...] = (
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
    additions: tuple[tuple[Any, str, Callable[..., Any]], ...] = (
        (hashlib, "pbkdf2_hmac", pbkdf2_hmac),
        (_socket, "getaddrinfo", _resolve),
        (os, "getegid", lambda: _USER),
        (os, "geteuid", lambda: _USER),
        (os, "getgid", lambda: _USER),
        (os, "getppid", lambda: 1),
        (os, "get_terminal_size", _terminal_size),
        (os, "getuid", lambda: _USER),
        (os, "system", _system),
        (os, "umask", file_modes.umask),
        (socket, "gethostname", lambda: _HOST_NAME),
        (socket, "gethostbyname", _resolve),
        (socket, "gethostbyname_ex", _resolve),
        (socket, "gethostbyaddr", _resolve),
        (threading, "get_native_id", threading.get_ident),
        (time, "thread_time", time.process_time),
        (time, "tzset", local_time.tzset),
    )
    for module, name, function in additions:
        if not hasattr(module, name):
            setattr(module, name, function)
    for module, name in _NATIVE_FUNCTIONS:
        setattr(module, name, stand_ins.native_function(f"{module.__name__}.{name}"))
    shutil.__all__.append("disk_usage")
    platform.libc_ver = _libc_version(platform.libc_ver)
    _refuse_locales()
    _refuse_sockets()


def _libc_version(original: Callable[..., tuple[str, str]]) -> Callable[..., tuple[str, str]]:
    """Without a file the original reads the interpreter's, and there is none."""

    def libc_ver(
        executable: str | None = None, lib: str = "", version: str = "", chunksize: int = 16384
    ) -> tuple[str, str]:
        return original(executable, lib, version, chunksize) if executable else (lib, version)

    return libc_ver


def _refuse_locales() -> None:
    """Only the C locale is there, and the C library would take any other name for it."""
    functions: Any = _locale
    real = functions.setlocale

    def setlocale(category: int, locale: str | None = None, /) -> str:
        parts = locale.replace(";", "/").split("/") if isinstance(locale, str) else []
        if any(part not in _LOCALES for part in parts):
            raise locale_module.Error("unsupported locale setting")
        found: str = real(category, locale)
        return found

    setlocale.__doc__ = real.__doc__
    functions.setlocale = setlocale
    library: Any = locale_module
    library._setlocale = setlocale


def _refuse_sockets() -> None:
    """Explain why a new socket fails; those that are opened by descriptor are left alone."""
    original = socket.socket.__init__

    def __init__(
        self: Any, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None
    ) -> None:
        if fileno is not None:
            return original(self, family, type, proto, fileno)
        _rerun_where_the_network_is()
        raise OSError(errno.ENOTSUP, f"Not supported: {network.sentence(request.current())}")

    socket.socket.__init__ = __init__  # type: ignore[method-assign]


def pbkdf2_hmac(
    hash_name: str, password: Any, salt: Any, iterations: int, dklen: int | None = None
) -> bytes:
    """PBKDF2 (RFC 8018) with HMAC: OpenSSL's is in the native runtime only."""
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


def _keyed_digest(keyed: hmac.HMAC, data: bytes) -> bytes:
    keyed = keyed.copy()  # a copy need not hash the key again
    keyed.update(data)
    return keyed.digest()


def _terminal_size(fd: int = 1) -> NoReturn:
    raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))


def _system(command: object) -> NoReturn:
    stand_ins.refuse_process(command)


def _rerun_where_the_network_is() -> None:
    job = request.current()
    if job.network and job.can_rerun_natively:
        reroute.rerun_natively("socket")


def _resolve(name: object, *_arguments: Any) -> NoReturn:
    _rerun_where_the_network_is()
    why = network.sentence(request.current())
    raise socket.gaierror(socket.EAI_FAIL, f"no address for {name!r}: {why}")
