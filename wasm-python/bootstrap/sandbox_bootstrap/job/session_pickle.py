"""A session's variables as bytes: written in the guest, read in the native runtime.

Pickle does most of it. Some things it stores by name only, since it could import a module for them.
Those are handled here: functions of the session as their code (both runtimes are the same Python),
classes as the statement that made them.

Each variable is a record of its own, plain data first. Objects that several variables share stay
shared, because all records have one memo. For the same reason reading stops at the first record
that cannot be read.
"""

import contextlib
import functools
import importlib.util
import io
import marshal
import os
import pickle
import sys
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any

from ..host import source_lines
from . import remake
from .class_source import PLAIN, is_given, names_that_run, plain_attributes, statement_that_binds
from .remake import MAIN

_REASON = 200  # characters


class CannotMigrate(pickle.PicklingError):
    """Why an object stays behind."""


def save(path: str, module: ModuleType, sources: dict[str, str]) -> list[str]:
    """Write the state to `path`; returns what stays behind as `name (why)`."""
    found = [(name, value) for name, value in vars(module).items() if not is_given(name)]
    variables = dict(sorted(found, key=lambda item: type(item[1]) not in PLAIN))
    left: dict[str, str] = {}
    while True:
        try:
            records = _records(variables, module, sources)
            break
        except _Failed as failed:
            # Try each by itself: in the next round none is left that fails alone.
            for name, value in list(variables.items()):
                reason: str | None = failed.reason
                if name != failed.name:
                    reason = _why_not(value, module, sources)
                if reason is not None:
                    left[name] = reason
                    del variables[name]
    with open(path, "wb") as file:
        for record in records:
            file.write(len(record).to_bytes(8, "little"))
            file.write(record)
    return [f"{name} ({reason})" for name, reason in left.items()]


def load(path: str, module: ModuleType, sources: dict[str, str]) -> list[str]:
    """Put the state into `module`, delete the file; returns what could not be read, and why."""
    with open(path, "rb") as file:
        data = file.read()
    os.unlink(path)
    records = _cut(data)
    reader = _Reader()
    head = reader.next(next(records))
    _restore_surroundings(head, sources)
    left = []
    namespace = vars(module)
    names = iter(head["names"])
    for name, record in zip(names, records, strict=False):
        try:
            value = reader.next(record)
        except Exception as error:
            left = [f"{name} ({_words(error)})"]
            left += [f"{other} (it stood behind `{name}`)" for other in names]
            break
        if isinstance(value, remake.NoSuchModule):
            left.append(f"{name} ({value.why})")
        else:
            namespace[name] = value
    return left


def _cut(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 8], "little")
        yield data[at + 8 : at + 8 + size]
        at += 8 + size


def _words(error: BaseException) -> str:
    text = " ".join(str(error).split())[:_REASON]
    speaks_for_itself = isinstance(error, (CannotMigrate, TypeError)) and text
    return text if speaks_for_itself else f"{type(error).__name__}: {text}"


class _Failed(Exception):
    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason


def _records(variables: dict[str, Any], module: ModuleType, sources: dict[str, str]) -> list[bytes]:
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, vars(module), sources)
    records = []

    def put(name: str, value: Any) -> None:
        start = buffer.tell()
        try:
            pickler.dump(value)
        except Exception as error:
            raise _Failed(name, _words(error)) from None
        records.append(buffer.getbuffer()[start:].tobytes())

    put("", _surroundings(list(variables), sources))
    for name, value in variables.items():
        put(name, value)
    return records


def _why_not(value: Any, module: ModuleType, sources: dict[str, str]) -> str | None:
    try:
        _Pickler(io.BytesIO(), vars(module), sources).dump(value)
    except Exception as error:
        return _words(error)
    return None


def _surroundings(names: list[str], sources: dict[str, str]) -> dict[str, Any]:
    random: Any = sys.modules.get("random")
    return {
        "names": names,
        "magic": importlib.util.MAGIC_NUMBER,
        "sources": dict(sources),
        "directory": os.getcwd(),
        "random": random.getstate() if random is not None else None,
    }


def _restore_surroundings(head: dict[str, Any], sources: dict[str, str]) -> None:
    import linecache

    if head["magic"] != importlib.util.MAGIC_NUMBER:
        raise CannotMigrate("the runtimes are different versions of Python")
    for filename, text in head["sources"].items():
        sources[filename] = text
        lines = text.splitlines(True)
        linecache.cache[filename] = (len(text), None, lines, filename)
        source_lines.remember(filename, lines)
    with contextlib.suppress(OSError):  # a directory that only the guest has, below /tmp
        os.chdir(head["directory"])
    if head["random"] is not None:
        import random

        random.setstate(head["random"])


class _Reader:
    """Reads records that refer to each other: one unpickler, which gets one record at a time."""

    def __init__(self) -> None:
        self._record = io.BytesIO()
        self._unpickler = pickle.Unpickler(self)

    def read(self, size: int = -1) -> bytes:
        """For the unpickler."""
        return self._record.read(size)

    def readline(self) -> bytes:
        """For the unpickler."""
        return self._record.readline()

    def next(self, record: bytes) -> Any:
        """The value of the next record."""
        self._record = io.BytesIO(record)
        return self._unpickler.load()


class _Pickler(pickle.Pickler):
    def __init__(
        self, file: io.BytesIO, namespace: dict[str, Any], sources: dict[str, str]
    ) -> None:
        super().__init__(file, protocol=5)
        self._main = namespace
        self._sources = sources
        self._being_made: list[type] = []
        self._tried: set[type] = set()  # classes that can be made

    def reducer_override(self, obj: Any) -> Any:  # noqa: PLR0911  # one for each kind
        """How to make again what pickle would look up by name in a module that is not there."""
        kind = type(obj)
        if kind is FunctionType:
            return self._function(obj) if self._is_own_function(obj) else NotImplemented
        if isinstance(obj, type):
            return self._class(obj) if obj.__module__ == MAIN else NotImplemented
        if kind is ModuleType:
            return remake.module, (obj.__name__,)
        if kind is CodeType:
            return marshal.loads, (marshal.dumps(obj),)
        if kind is MappingProxyType:
            return MappingProxyType, (dict(obj),)
        if kind is functools._lru_cache_wrapper and getattr(obj, "__module__", "") == MAIN:
            return remake.cached, (obj.__wrapped__, obj.cache_parameters())
        for name in ("stdout", "stderr", "stdin"):
            if obj is getattr(sys, name):
                return getattr, (sys, name)
        return NotImplemented

    def _is_own_function(self, function: FunctionType) -> bool:
        return function.__globals__ is self._main or function.__module__ == MAIN

    def _function(self, function: FunctionType) -> tuple[Any, ...]:
        """By its code. Its globals are the session's, or of the library whose decorator made it."""
        is_own = function.__globals__ is self._main
        owner = MAIN if is_own else function.__globals__.get("__name__", "")
        cells = [_contents(cell) for cell in function.__closure__ or ()]
        state = {
            "attributes": {
                "__defaults__": function.__defaults__,
                "__kwdefaults__": function.__kwdefaults__,
                "__annotations__": function.__annotations__,
                "__doc__": function.__doc__,
                "__module__": function.__module__,
                "__qualname__": function.__qualname__,
            },
            "dict": function.__dict__,
            "cells": cells,
        }
        made = (marshal.dumps(function.__code__), owner, function.__name__, len(cells))
        return remake.function, made, state, None, None, remake.finish_function

    def _class(self, cls: type) -> tuple[Any, ...]:
        """By the statement that made it, with what that statement needs to run."""
        outer, _, inner = cls.__qualname__.partition(".")
        if "<locals>" in cls.__qualname__:
            raise CannotMigrate(f"the class `{cls.__name__}` was made inside of a function")
        if inner:
            return remake.attribute, (self._holder(outer, cls), inner)
        name = self._name_of(cls)
        if any(cls is other for other in self._being_made):
            raise CannotMigrate(f"the class `{cls.__name__}` needs an object of its own to be made")
        code = statement_that_binds(name, self._sources)
        if code is None:
            raise CannotMigrate(f"no statement of the session makes the class `{cls.__name__}`")
        needed = {
            other: self._main[other]
            for other in names_that_run(code)
            if other in self._main and other != name and not is_given(other)
        }
        if cls not in self._tried:
            self._try_names(cls, needed)
        made = (name, marshal.dumps(code), needed)
        return remake.make_class, made, plain_attributes(cls), None, None, remake.finish_class

    def _name_of(self, cls: type) -> str:
        """The name that the session has for a class."""
        if self._main.get(cls.__qualname__) is cls:
            return cls.__qualname__
        name = next((name for name, value in self._main.items() if value is cls), None)
        if name is None:
            raise CannotMigrate(
                f"the class `{cls.__name__}` has been replaced by another of that name"
            )
        return name

    def _holder(self, outer: str, cls: type) -> Any:
        holder = self._main.get(outer)
        if holder is None:
            raise CannotMigrate(f"the class that `{cls.__qualname__}` stands in is gone")
        return holder

    def _try_names(self, cls: type, needed: dict[str, Any]) -> None:
        """Raise if what `cls` needs leads back to it.

        Tried with a pickler of its own: once a reduction is returned, pickle does not say when the
        making is over.
        """
        self._being_made.append(cls)
        try:
            for name, value in needed.items():
                inner = _Pickler(io.BytesIO(), self._main, self._sources)
                inner._being_made = self._being_made
                inner._tried = self._tried
                try:
                    inner.dump(value)
                except CannotMigrate as error:
                    raise CannotMigrate(f"it needs `{name}`: {error}") from None
        finally:
            self._being_made.pop()
        self._tried.add(cls)


def _contents(cell: CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # not bound yet
        return ()
