"""Native runtime: `io.FileIO` given a path, as PyPDF2 uses it, translates it like `open` does.

The class that `open` itself makes stays the real one; `isinstance` holds for both.
"""

import io
import sys

from . import paths


class _EitherKind(type(io.FileIO)):
    def __instancecheck__(cls, instance) -> bool:
        return isinstance(instance, cls.__base__)

    def __subclasscheck__(cls, subclass) -> bool:
        return issubclass(subclass, cls.__base__)


class FileIO(io.FileIO, metaclass=_EitherKind):
    """The real class with the path that the job says."""

    def __init__(self, file, mode="r", closefd=True, opener=None):
        mapped = paths.to_host(file)
        try:
            super().__init__(mapped, mode, closefd, opener)
        except OSError as error:
            paths.say_job_names(error)
            raise
        if mapped is not file:
            self.name = file


def install() -> None:
    """Put our class where programs look for it."""
    FileIO.__qualname__ = "FileIO"
    FileIO.__module__ = "_io"
    io.FileIO = sys.modules["_io"].FileIO = FileIO
