import ctypes
import mmap
import os
import socket
import subprocess

AT_FDCWD = -100
buffer = ctypes.create_string_buffer(4096)
_libc = ctypes.CDLL(None, use_errno=True)


def _argument(value):
    if isinstance(value, int):
        return ctypes.c_long(value)
    if isinstance(value, str):
        # Two slashes: the library that translates a job's paths leaves such names to the kernel.
        value = "/" + value if value.startswith("/") else value
        return ctypes.c_char_p(value.encode())
    if isinstance(value, bytes):
        return ctypes.c_char_p(value)
    return value


def libc(name, *arguments):
    function = _libc[name]
    function.restype = ctypes.c_long if name == "syscall" else ctypes.c_int
    ctypes.set_errno(0)
    result = function(*map(_argument, arguments))
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def raw(name, *arguments):
    return libc("syscall", NUMBERS[name], *arguments)


def read(path):
    return libc("open", path, os.O_RDONLY)


def listing(path):
    return libc("open", path, os.O_RDONLY | os.O_DIRECTORY)


def create(path):
    return libc("open", path, os.O_WRONLY | os.O_CREAT, 0o600)


def made(name):
    path = f"{HERE}/{name}"
    libc("close", create(path))
    return path


def create_in(directory):
    path = f"{directory}/probe-{os.getpid()}"
    create(path)
    libc("unlink", path)


def attempt(probe, code):
    errno = None
    try:
        exec(code, dict(globals()))
    except OSError as error:
        errno = error.errno
    print(json.dumps({"probe": probe, "errno": errno}), flush=True)
