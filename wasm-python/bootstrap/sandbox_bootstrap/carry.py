"""What a session's variables hold, as bytes: written in the guest, read in the native runtime, opaque to the host.

Pickle does most of it.  What it takes by name only, because a module could be imported for it, is carried by itself:
functions of the session as their code (both runtimes are the same Python), classes as the statement that made them.
Each variable is a record of its own, plain data first; objects that several variables share stay shared, because all
records have one memo (which is why reading ends at the first record that cannot be read).
"""

import ast
import dis
import functools
import importlib
import importlib.util
import io
import marshal
import os
import pickle
import sys
import types

MAIN = "__main__"
_PLAIN = (bool, int, float, complex, str, bytes, list, dict, set, frozenset, tuple, type(None))
_CO_OPTIMIZED = 0x1  # set for functions, not for the bodies of classes and modules
_REASON = 200  # characters


class CannotCome(pickle.PicklingError):
    """Why an object stays behind."""


def save(path: str, module, sources: dict[str, str]) -> list[str]:
    """Write the state to `path`; gives what stays behind: `name (why)`."""
    found = [(name, value) for name, value in vars(module).items() if not _is_given(name)]
    variables = dict(sorted(found, key=lambda item: type(item[1]) not in _PLAIN))
    left: dict[str, str] = {}
    while True:
        try:
            records = _records(variables, module, sources)
            break
        except _Failed as failed:
            # Each by itself: the next attempt then has none that fails alone.
            for name, value in list(variables.items()):
                reason = failed.reason if name == failed.name else _why_not(name, value, module, sources)
                if reason is not None:
                    left[name] = reason
                    del variables[name]
    with open(path, "wb") as file:
        for record in records:
            file.write(len(record).to_bytes(8, "little"))
            file.write(record)
    return [f"{name} ({reason})" for name, reason in left.items()]


def load(path: str, module, sources: dict[str, str]) -> list[str]:
    """Put the state into `module` and take the file away; gives what could not be read: `name (why)`."""
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
    for name, record in zip(names, records):
        try:
            value = reader.next(record)
        except Exception as error:
            left = [f"{name} ({_words(error)})", *(f"{other} (it stood behind `{name}`)" for other in names)]
            break
        if isinstance(value, _NoSuchModule):
            left.append(f"{name} ({value.why})")
        else:
            namespace[name] = value
    return left


def _is_given(name: str) -> bool:
    """Whether every module has it."""
    return name.startswith("__") and name.endswith("__")


def _cut(data: bytes):
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 8], "little")
        yield data[at + 8 : at + 8 + size]
        at += 8 + size


def _words(error: BaseException) -> str:
    text = " ".join(str(error).split())[:_REASON]
    return text if isinstance(error, (CannotCome, TypeError)) and text else f"{type(error).__name__}: {text}"


class _Failed(Exception):
    def __init__(self, name: str, reason: str):
        self.name = name
        self.reason = reason


def _records(variables: dict, module, sources: dict[str, str]) -> list[bytes]:
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, module, sources)
    records = []

    def put(name, value) -> None:
        start = buffer.tell()
        try:
            pickler.dump(value)
        except (Exception, RecursionError) as error:
            raise _Failed(name, _words(error)) from None
        records.append(buffer.getbuffer()[start:].tobytes())

    put("", _surroundings(list(variables), sources))
    for name, value in variables.items():
        put(name, value)
    return records


def _why_not(name: str, value, module, sources: dict[str, str]) -> str | None:
    try:
        _Pickler(io.BytesIO(), module, sources).dump(value)
    except (Exception, RecursionError) as error:
        return _words(error)
    return None


def _surroundings(names: list[str], sources: dict[str, str]) -> dict:
    random = sys.modules.get("random")
    return {
        "names": names,
        "magic": importlib.util.MAGIC_NUMBER,
        "sources": dict(sources),
        "directory": os.getcwd(),
        "random": random.getstate() if random is not None else None,
    }


def _restore_surroundings(head: dict, sources: dict[str, str]) -> None:
    import linecache

    if head["magic"] != importlib.util.MAGIC_NUMBER:
        raise CannotCome("the runtimes are different versions of Python")
    for filename, text in head["sources"].items():
        sources[filename] = text
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    try:
        os.chdir(head["directory"])
    except OSError:  # a directory of the guest's own, such as one below /tmp
        pass
    if head["random"] is not None:
        import random

        random.setstate(head["random"])


class _Reader:
    """Reads records that refer to each other: one unpickler, and a file that is given one record after the other."""

    def __init__(self):
        self._record = io.BytesIO()
        self._unpickler = pickle.Unpickler(self)

    def read(self, size: int = -1) -> bytes:
        """For the unpickler."""
        return self._record.read(size)

    def readline(self) -> bytes:
        """For the unpickler."""
        return self._record.readline()

    def next(self, record: bytes):
        """The value of the next record."""
        self._record = io.BytesIO(record)
        return self._unpickler.load()


class _Pickler(pickle.Pickler):
    def __init__(self, file, module, sources: dict[str, str]):
        super().__init__(file, protocol=5)
        self._main = vars(module)
        self._sources = sources
        self._in_the_making: list[type] = []
        self._tried: set[type] = set()  # classes that can be made

    def reducer_override(self, obj):
        """How to make again what pickle would look up by name, in a module that is not there."""
        kind = type(obj)
        if kind is types.FunctionType:
            return self._function(obj) if self._is_own_function(obj) else NotImplemented
        if isinstance(obj, type):
            return self._class(obj) if obj.__module__ == MAIN else NotImplemented
        if kind is types.ModuleType:
            return _module, (obj.__name__,)
        if kind is types.CodeType:
            return marshal.loads, (marshal.dumps(obj),)
        if kind is types.MappingProxyType:
            return types.MappingProxyType, (dict(obj),)
        if kind is functools._lru_cache_wrapper and getattr(obj, "__module__", "") == MAIN:
            return _cached, (obj.__wrapped__, obj.cache_parameters())
        if obj is sys.stdout or obj is sys.stderr or obj is sys.stdin:
            return getattr, (sys, next(n for n in ("stdout", "stderr", "stdin") if getattr(sys, n) is obj))
        return NotImplemented

    def _is_own_function(self, function) -> bool:
        return function.__globals__ is self._main or function.__module__ == MAIN

    def _function(self, function):
        """By its code. Its globals are those of the session, or of the library whose decorator made it."""
        owner = MAIN if function.__globals__ is self._main else function.__globals__.get("__name__", "")
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
        return _make_function, made, state, None, None, _finish_function

    def _class(self, cls: type):
        """By the statement that made it, with what that statement needs to run."""
        outer, _, inner = cls.__qualname__.partition(".")
        if "<locals>" in cls.__qualname__:
            raise CannotCome(f"the class `{cls.__name__}` was made inside of a function")
        if inner:
            return _attribute, (self._named(outer, cls), inner)
        name = outer if self._main.get(outer) is cls else next((n for n, v in self._main.items() if v is cls), None)
        if name is None:
            raise CannotCome(f"the class `{cls.__name__}` has been replaced by another of that name")
        if any(cls is other for other in self._in_the_making):
            raise CannotCome(f"the class `{cls.__name__}` needs an object of its own to be made")
        code = _statement_that_binds(name, self._sources)
        if code is None:
            raise CannotCome(f"no statement of the session makes the class `{cls.__name__}`")
        needed = {n: self._main[n] for n in _names_that_run(code) if n in self._main and n != name and not _is_given(n)}
        if cls not in self._tried:
            self._in_the_making.append(cls)
            try:
                # Tried apart: once the reduction is returned, nothing tells when the making is over.
                for needed_name, value in needed.items():
                    _probe(self, needed_name, value)
            finally:
                self._in_the_making.pop()
            self._tried.add(cls)
        return _make_class, (name, marshal.dumps(code), needed), _plain_attributes(cls), None, None, _finish_class

    def _named(self, outer: str, cls: type):
        holder = self._main.get(outer)
        if holder is None:
            raise CannotCome(f"the class that `{cls.__qualname__}` stands in is gone")
        return holder


def _probe(parent: _Pickler, name: str, value) -> None:
    """Raise if `value` leads back to a class that is being made."""
    inner = _Pickler(io.BytesIO(), types.SimpleNamespace(), parent._sources)
    inner._main = parent._main
    inner._in_the_making = parent._in_the_making
    inner._tried = parent._tried
    try:
        inner.dump(value)
    except CannotCome as error:
        raise CannotCome(f"it needs `{name}`: {error}") from None


def _contents(cell) -> tuple:
    try:
        return (cell.cell_contents,)
    except ValueError:  # not bound yet
        return ()


def _plain_attributes(cls: type) -> dict | None:
    """Attributes that the session may have changed since the class was made (counters, registries)."""
    import enum

    if issubclass(cls, enum.Enum):
        return None  # its members are what its statement says
    found = {name: value for name, value in vars(cls).items() if not _is_given(name) and type(value) in _PLAIN}
    return found or None


def _statement_that_binds(name: str, sources: dict[str, str]):
    """The code of the last top-level statement of the session that makes `name` by a class statement or a call."""
    for filename, text in reversed(sources.items()):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for statement in reversed(tree.body):
            if name in _bound_by(statement):
                body = [*(s for s in tree.body if _is_future(s)), statement]
                return compile(ast.Module(body, []), filename, "exec", dont_inherit=True)
    return None


def _bound_by(statement) -> list[str]:
    if isinstance(statement, ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


def _is_future(statement) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _names_that_run(code) -> dict[str, None]:
    """Global names that the statement looks up while it runs: not those in the bodies of functions."""
    names: dict[str, None] = {}
    waiting = [code]
    while waiting:
        code = waiting.pop()
        for instruction in dis.get_instructions(code):
            if instruction.opname.startswith("LOAD_") and instruction.opname.partition("_")[2] in _BY_NAME:
                names[instruction.argval] = None
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                if not constant.co_flags & _CO_OPTIMIZED or constant.co_name == "<genexpr>":
                    waiting.append(constant)
    return names


_BY_NAME = ("NAME", "GLOBAL", "FROM_DICT_OR_GLOBALS")


# What the native side calls to make the objects again.


class _NoSuchModule:
    """Stands for a module that this runtime does not have."""

    def __init__(self, why: str):
        self.why = why


def _module(name: str):
    try:
        return sys.modules[MAIN] if name == MAIN else importlib.import_module(name)
    except ImportError as error:
        return _NoSuchModule(str(error))


def _cached(function, parameters: dict):
    return functools.lru_cache(**parameters)(function)


def _attribute(holder: type, path: str):
    return functools.reduce(getattr, path.split("."), holder)


def _make_function(code: bytes, owner: str, name: str, cells: int):
    closure = tuple(types.CellType() for _ in range(cells)) or None
    return types.FunctionType(marshal.loads(code), vars(_module(owner)), name, None, closure)


def _finish_function(function, state: dict) -> None:
    for name, value in state["attributes"].items():
        setattr(function, name, value)
    function.__dict__.update(state["dict"])
    for cell, contents in zip(function.__closure__ or (), state["cells"]):
        if contents:
            cell.cell_contents = contents[0]


def _make_class(name: str, code: bytes, needed: dict):
    namespace = vars(sys.modules[MAIN])
    namespace.update(needed)
    exec(marshal.loads(code), namespace)
    return namespace[name]


def _finish_class(cls: type, attributes: dict) -> None:
    for name, value in attributes.items():
        setattr(cls, name, value)
