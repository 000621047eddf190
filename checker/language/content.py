"""A digest of everything that determines a spec: the same digest means the same result of the front end.

It covers the sources of the modules of the spec that are not installed, the functions of these modules and classes as
they are now, their plain data (which may come from a file or from the environment), the constants of the spec, Python,
and the sources of the front end. A spec that is not in a module has no digest.
"""

from __future__ import annotations

import functools
import hashlib
import linecache
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any

from ..cache import cache_folder, ours
from ..errors import file_of, home_of, is_library, is_ours
from .methods import function_of
from .source import text_of

READERS = ("errors", "language", "ir", "frontend")
"""The folders of the checker whose code reads specs."""

PLAIN = (bool, int, float, str, bytes)


def place_of(cls: type, constants: Mapping[str, Any]) -> Path | None:
    """The cache location for results of a spec; None where its content cannot be identified."""
    home = sys.modules.get(cls.__module__)
    if home is None or vars(home).get(cls.__qualname__) is not cls or not Path(file_of(home)).is_file():
        return None
    found = hashlib.sha256(repr((sys.version, _readers(), cls.__module__, cls.__qualname__)).encode())
    data = _Data()
    data.add(dict(constants))
    for name, module in sorted(_modules(home).items()):
        linecache.checkcache(file_of(module))
        data.parts += name, file_of(module), _digest(text_of(file_of(module)))
        data.add(vars(module))
    found.update("".join(data.parts).encode("utf-8", "surrogatepass"))
    return cache_folder() / "traced" / found.hexdigest()


@functools.lru_cache(maxsize=256)
def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_known(cls: type, constants: Mapping[str, Any]) -> bool:
    """Whether the cache has a result for a spec with this content: then it was examined."""
    place = place_of(cls, constants)
    return place is not None and ours(place)


def _modules(home: ModuleType) -> dict[str, ModuleType]:
    """The module of a spec, and what it uses that is not installed; of an installed spec, all of its package."""
    package, found, todo = home.__name__.partition(".")[0], dict[str, ModuleType](), [home]
    while todo:
        module = todo.pop()
        file = file_of(module)
        if module.__name__ in found or not file.endswith(".py") or is_ours(file):
            continue
        if is_library(file) and module.__name__.partition(".")[0] != package:
            continue
        found[module.__name__] = module
        names = {value.__name__ if isinstance(value, ModuleType) else home_of(value) for value in vars(module).values()}
        todo += [used for used in map(sys.modules.get, names) if isinstance(used, ModuleType)]
    return found


@functools.cache
def _readers() -> tuple[tuple[int, int, int], ...]:
    """The sources of what reads a spec, each with its size and when it was changed."""
    here = Path(__file__).parents[1]
    found = [path.stat() for folder in READERS for path in sorted((here / folder).glob("*.py"))]
    return tuple((stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in found)


class _Data:
    """The plain data in some values, and in their parts, as text; of anything else the type."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._seen: dict[int, Any] = {}

    def add(self, value: Any) -> None:
        if value is None or isinstance(value, PLAIN):
            self.parts.append(repr(value))
            return
        self.parts.append(type(value).__qualname__)
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value  # it lives on, so that nothing else gets its number
        if isinstance(value, (dict, MappingProxyType)):
            for key, inner in list(value.items()):
                if not (isinstance(key, str) and key.startswith("__")):
                    self.add(key)
                    self.add(inner)
        elif isinstance(value, (list, tuple)):
            for inner in value:
                self.add(inner)
        elif isinstance(value, (set, frozenset)):
            self.parts += sorted(map(repr, value))
        elif isinstance(value, type):
            if not is_ours(home := file_of(sys.modules.get(value.__module__))) and not is_library(home):
                self.add(vars(value))
        elif is_dataclass(value):
            for field in fields(value):
                self.add(getattr(value, field.name, None))
        else:
            function = function_of(value)
            if isinstance(function, FunctionType):
                for inner in (
                    function.__defaults__,
                    function.__kwdefaults__,
                    *map(_content, function.__closure__ or ()),
                ):
                    self.add(inner)
                self.parts += function.__code__.co_filename, _written(function.__code__)


@functools.lru_cache(maxsize=1 << 14)
def _written(code: CodeType) -> str:
    """What counts of a code object, and of those inside it, beside its file, in which equal ones may differ."""
    consts = _Data()
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            consts.parts.append(_written(inner))
        else:
            consts.add(inner)
    return "".join((str(code.co_firstlineno), code.co_code.hex(), *code.co_names, *consts.parts))


def _content(cell: Any) -> Any:
    """The content of a closure variable, if it has one."""
    try:
        return cell.cell_contents
    except ValueError:
        return None
