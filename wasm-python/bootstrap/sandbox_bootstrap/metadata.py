"""Native runtime: mode, owner and times of files cannot be changed there, and honest code need not notice.

The filter refuses these calls altogether, because a file that may only be read could be changed by them.  `shutil.copy`,
`Path.touch` and their kin then fail over something that no job needs: on the job's own files, the functions of `os`
do nothing instead.  Anywhere else the error stays.
"""

import os
import posix

_NAMES = ("chmod", "chown", "lchown", "utime")
_own: tuple[str, ...] = ()
_real = {"getcwd": os.getcwd}  # in a container, because `paths` replaces what stands in a module by itself


def install() -> None:
    """Put the tolerant functions in place; before `paths` wraps them, so that they see real paths."""
    for name in _NAMES:
        real = getattr(os, name)
        tolerant = _tolerant(real)
        for supported in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
            if real in supported:
                supported.add(tolerant)
        setattr(os, name, tolerant)
        setattr(posix, name, tolerant)


def tolerate_in(*directories: str) -> None:
    """From now on, files below `directories` are the job's own."""
    global _own
    _own = tuple(os.path.realpath(directory) + "/" for directory in directories)


def tolerate_also(directories) -> None:
    """The same for further `directories`; what is read-only there fails before it comes to this."""
    global _own
    _own += tuple(os.path.realpath(directory) + "/" for directory in directories)


def _tolerant(function):
    def wrapper(path, *args, **kwargs):
        try:
            return function(path, *args, **kwargs)
        except PermissionError:
            if not _is_own(path):
                raise
            os.stat(path)  # that of a file which is not there is an honest error
            return None

    wrapper.__name__ = wrapper.__qualname__ = function.__name__
    wrapper.__doc__ = function.__doc__
    wrapper.__module__ = "posix"
    wrapper.__text_signature__ = getattr(function, "__text_signature__", None)
    return wrapper


def _is_own(path) -> bool:
    if isinstance(path, int):
        return False
    return (os.path.realpath(os.path.join(_real["getcwd"](), os.fsdecode(path))) + "/").startswith(_own)
