"""`io.FileIO` given a path, as PyPDF2 uses it, translates it as `open` does.

`open` itself still makes objects of the real class; `isinstance` holds for both.
"""

import io
import sys
from typing import Any

from . import paths


class _EitherKind(type(io.FileIO)):  # type: ignore[misc]  # the class of a C class, at run time
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.__base__)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.__base__)


class FileIO(io.FileIO, metaclass=_EitherKind):
    """The real class, opened at the path that the job means."""

    def __init__(
        self, file: Any, mode: str = "r", closefd: bool = True, opener: Any = None
    ) -> None:
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
    for module in (io, sys.modules["_io"]):
        module.FileIO = FileIO  # type: ignore[attr-defined]
