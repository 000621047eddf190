"""Whose something is: written in Python by somebody, of Python's library, or ours."""

from __future__ import annotations

import sys
import types
from types import CodeType, ModuleType
from typing import Any

from ..errors import is_ours
from ..language.record import Record
from ..language.spec import Spec
from . import bytecode
from .policy import COMPUTING, TRUSTED


def package_module(module: ModuleType | None) -> bool:
    """Whether a module comes with the checker, as the Kafka model does; the name alone anybody may give himself."""
    name = str(getattr(module, "__name__", ""))
    return module is not None and name.partition(".")[0] == "everystate" and sys.modules.get(name) is module


def module_of(cls: type) -> str:
    """The name of the module of a class; "" where it gives itself to one of those that nobody looks into.

    `__module__` is what the body of a class says. Whoever is really of these modules is also found there.
    """
    name = cls.__module__
    if not isinstance(name, str):
        return ""
    path = _file(name)
    seen = path and not (is_ours(path) or bytecode.of_library(path) or package_module(sys.modules[name]))
    return name if seen or not _from_body(cls) or _held(cls, name) else ""


_IMMUTABLE, _HEAP, _BASE = 1 << 8, 1 << 9, 1 << 10


def _from_body(cls: type) -> bool:
    """Whether `class` or `type(...)` may have made a class, and not C: it can be changed and inherited from."""
    return cls.__flags__ & (_IMMUTABLE | _HEAP | _BASE) == _HEAP | _BASE


def _held(cls: type, module: str) -> bool:
    """Whether a module holds a class by the name that it gives itself."""
    found: Any = sys.modules.get(module)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def _file(module: str) -> str:
    return getattr(sys.modules.get(module), "__file__", None) or ""


def module_file(cls: type) -> str:
    """The file of a class; "" where there is none."""
    return _file(module_of(cls))


def foreign_library(cls: type) -> bool:
    """Whether a class is one of Python's own, of a module that was read, or of the checker."""
    name = module_of(cls)
    return name in TRUSTED or name == "builtins" or is_ours(_file(name))


def package_class(cls: type) -> bool:
    """Whether a class comes with the checker."""
    return package_module(sys.modules.get(module_of(cls)))


def user_class(cls: type) -> bool:
    """Whether a class was written in Python, outside of the checker."""
    return bool(cls.__flags__ & _HEAP) and not cls.__flags__ & _IMMUTABLE and not foreign_library(cls)


def stateful(cls: type) -> bool:
    return issubclass(cls, (Spec, Record))


def of_its_module(function: types.FunctionType) -> bool:
    """Whether a function belongs to the module of its file, and was not made to look so."""
    module = sys.modules.get(str(function.__globals__.get("__name__")))
    made = getattr(module, "__file__", None) == function.__code__.co_filename
    return made and getattr(module, "__dict__", None) is function.__globals__


def trusted(path: str) -> bool:
    return path in _TRUSTED_FILES or path in _newly_trusted() or bytecode.is_of_pytest(path)


_TRUSTED_FILES: set[str] = set()


def _newly_trusted() -> set[str]:
    """The files of TRUSTED; a module may be imported at any time."""
    for name in _UNSEEN & sys.modules.keys():
        _TRUSTED_FILES.add(getattr(sys.modules[name], "__file__", None) or "")
        _UNSEEN.discard(name)
    return _TRUSTED_FILES


_UNSEEN = set(TRUSTED)


def generated(cls: type, name: str, value: Any) -> bool:
    """Whether dataclasses wrote a method of a class: it has such a name, and mentions the fields only."""
    code = getattr(value, "__code__", None)
    if not isinstance(code, CodeType) or code.co_filename != "<string>" or name not in _WRITTEN:
        return False
    fields = {*vars(cls).get("__dataclass_fields__", ())}
    return bool(fields) and all(n in fields or n in _WORDS or n.startswith("__dataclass_") for n in code.co_names)


_WRITTEN = {f"__{name}__" for name in ["init", "repr", "eq", "lt", "le", "gt", "ge", "hash", "setattr", "delattr"]}


_WORDS = {
    "__class__",
    "__qualname__",
    "__setattr__",
    "__delattr__",
    "__post_init__",
    "NotImplemented",
    "object",
    "type",
}
_WORDS |= {"super", "cls", "hash", "repr", "FrozenInstanceError", "isinstance"}


def has_state_in_c(cls: type) -> bool:
    """Whether objects of a class may hold more than Python shows: iterators, files, locks, random generators."""
    foreign = any(not (user_class(base) or foreign_library(base)) for base in cls.__mro__)
    foreign = foreign and module_of(cls) not in COMPUTING
    return foreign or (hasattr(cls, "__next__") and not user_class(cls))
