"""Whose something is: written in Python by somebody, of Python's library, or ours."""

from __future__ import annotations

import sys
import types
from types import CodeType
from typing import Any

from ..errors import is_ours
from ..language.record import Record
from ..language.spec import Spec
from . import bytecode
from .policy import COMPUTING, TRUSTED


def module_file(cls: type) -> str:
    module = sys.modules.get(cls.__module__)
    return getattr(module, "__file__", None) or ""


def foreign_library(cls: type) -> bool:
    """Whether a class is one of Python's own, of a module that was read, or of the checker."""
    return cls.__module__ in TRUSTED or cls.__module__ == "builtins" or is_ours(module_file(cls))


def user_class(cls: type) -> bool:
    """Whether a class was written in Python, outside of the checker."""
    heap, immutable = 1 << 9, 1 << 8
    return bool(cls.__flags__ & heap) and not cls.__flags__ & immutable and not foreign_library(cls)


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
    foreign = foreign and cls.__module__ not in COMPUTING
    return foreign or (hasattr(cls, "__next__") and not user_class(cls))
