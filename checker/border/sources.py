"""The sources of who wrote a spec: the bodies of modules, as Python executed them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from functools import lru_cache
from importlib.machinery import FrozenImporter, SourceFileLoader, SourcelessFileLoader
from types import CodeType, ModuleType
from typing import Any
from zipimport import zipimporter

from ..errors import file_of


def is_module(value: Any) -> bool:
    """Whether what stands among the modules is one: anything may be put there."""
    return issubclass(type(value), ModuleType)


def body_of(module: ModuleType) -> CodeType | None:
    """The body of a module; None where there is neither source nor bytecode of it."""
    path = file_of(module)
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    name = loader.name if type(loader) is SourceFileLoader else None
    return _body(path, name)


def written_in(module: ModuleType) -> str:
    """The file that the code of a module names: that of its source, also where only its bytecode is left."""
    path = file_of(module)
    body = body_of(module) if path.endswith(".pyc") else None
    return path if body is None else body.co_filename


def _body(path: str, name: str | None) -> CodeType | None:
    """The body that stands in a file, or in one of a zip archive; None where there is none to be read."""
    try:
        return _read(path, name, os.stat(path).st_mtime_ns)
    except NotADirectoryError:
        return _in_archive(path)
    except (OSError, ImportError, SyntaxError, ValueError):
        return None


@lru_cache(maxsize=256)
def _read(path: str, name: str | None, _: int) -> CodeType | None:
    """The same of a file of some age, with what Python has compiled and kept of it where there is a name for that."""
    if name is not None:
        return SourceFileLoader(name, path).get_code(name)
    if path.endswith(".pyc"):
        return SourcelessFileLoader("_", path).get_code("_")
    with open(path, "rb") as source:
        return compile(source.read(), path, "exec", dont_inherit=True)


@lru_cache(maxsize=256)
def _in_archive(path: str) -> CodeType | None:
    """The same of a file in a zip archive, from which Python imports, too."""
    folder, name = os.path.split(path)
    try:
        return zipimporter(folder).get_code(os.path.splitext(name)[0])
    except (OSError, ImportError, SyntaxError, ValueError):
        return None


def genuine(code: CodeType) -> bool:
    """Whether a code object stands in the file that it names: compile(...) and .replace(...) let it name any."""
    return stands_in(code, code.co_filename)


def stands_in(code: CodeType, path: str) -> bool:
    """Whether a code object stands in a file, wherever it says that it does."""
    return _told(code) in _of_file(path)


def mentions(path: str, name: str) -> bool:
    """Whether a function or class of a name stands in a file."""
    return any(told[0] == name for told in _of_file(path))


@lru_cache(maxsize=1024)
def _of_file(path: str) -> frozenset[Any]:
    """What tells all code objects of a file, also of one that Python has frozen, or that lies in an archive."""
    name = path.removeprefix("<frozen ").removesuffix(">")
    if name.startswith("importlib."):
        name = f"_frozen_{name.replace('._bootstrap', '')}"  # as Python calls what it begins with
    try:
        body = _body(path, "_") if name == path else FrozenImporter.get_code(name)
    except (ImportError, ValueError):
        body = None
    return frozenset() if body is None else frozenset(map(_told, all_codes(body)))


def all_codes(code: CodeType) -> Iterator[CodeType]:
    """A code object with all that stand in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from all_codes(inner)


def is_function(code: CodeType) -> bool:
    """Whether a code object has variables of its own: a function, a lambda, a comprehension, but no body."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED)


def body_or_empty(module: ModuleType) -> CodeType:
    """The body of a module, or an empty one where none can be read."""
    return body_of(module) or _EMPTY


_EMPTY = compile("", "", "exec")


def _told(code: CodeType) -> Any:
    """What tells a code object from others, without its file."""
    consts = tuple(_told(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_name, code.co_firstlineno, code.co_flags, code.co_code, code.co_exceptiontable, names, consts
