"""Whose something is: written in Python by somebody, of Python's library, or ours."""

from __future__ import annotations

import builtins
import collections
import contextlib
import importlib
import os
import sys
import types
from collections.abc import Mapping
from dis import Instruction
from types import CodeType, ModuleType
from typing import Any

from .. import language
from ..errors import file_of, is_ours, name_of
from ..language.methods import function_of
from ..language.record import Record
from ..language.spec import Spec
from . import bytecode
from .policy import COMPUTING, SLOTS, TRUSTED
from .sources import genuine, mentions, stands_in


def mro_of(cls: type) -> tuple[type, ...]:
    """The classes that Python looks attributes up in, whatever a metaclass says of them."""
    found: tuple[type, ...] = _MRO(cls)
    return found


_MRO = vars(type)["__mro__"].__get__


def vars_of(cls: type) -> Mapping[str, Any]:
    """What the body of a class left, and what was put there since, whatever a metaclass says of it."""
    found: Mapping[str, Any] = _said(cls, "__dict__")
    return found


def fields_of(value: Any) -> dict[str, Any] | None:
    """The dictionary of an object, whatever its class says of it; None where it has none."""
    found = field_of(value, "__dict__")
    return found if isinstance(found, dict) else None


def field_of(value: Any, name: str) -> Any:
    """What a field in C, or a slot, of an object holds, whatever a class below says of it; MISSING without it."""
    for cls in mro_of(type(value)):
        descriptor: Any = vars_of(cls).get(name)
        if type(descriptor) in SLOTS:
            with contextlib.suppress(AttributeError):
                return descriptor.__get__(value)
    return MISSING


def is_a(value: Any, *kinds: type) -> bool:
    """isinstance() by the class that an object really has: `__class__` its author may set to anything."""
    return not set(kinds).isdisjoint(mro_of(type(value)))


MISSING = object()


def flags_of(cls: type) -> int:
    """How Python made a class, whatever a metaclass says of it."""
    found: int = _said(cls, "__flags__")
    return found


def _said(cls: type, name: str) -> Any:
    """What a class itself answers, whatever a metaclass has in the place of that."""
    return vars(type)[name].__get__(cls)


def package_module(module: ModuleType | None) -> bool:
    """Whether a module comes with the checker, as the Kafka model does; the name alone anybody may give himself."""
    name = name_of(module)
    return module is not None and name.partition(".")[0] == "everystate" and sys.modules.get(name) is module


def module_of(cls: type) -> str:
    """The name of the module of a class; "" where it gives itself to one of those that nobody looks into.

    `__module__` is what the body of a class says. Whoever is really of these modules is also found there.
    """
    name = _said(cls, "__module__")
    if not isinstance(name, str):
        return ""
    path = _file(name)
    seen = path and not (is_ours(path) or bytecode.of_library(path) or package_module(sys.modules[name]))
    return name if seen or not _from_body(cls) or (held_by(cls, name) and _written_there(cls, name)) else ""


_IMMUTABLE, _HEAP, _BASE = 1 << 8, 1 << 9, 1 << 10


def _from_body(cls: type) -> bool:
    """Whether `class` or `type(...)` may have made a class, and not C: it can be changed and inherited from."""
    return flags_of(cls) & (_IMMUTABLE | _HEAP | _BASE) == _HEAP | _BASE


def _written_there(cls: type, module: str) -> bool:
    """Whether a module that was read has such a class, which nobody put there; of the builtins it is one."""
    if module not in TRUSTED:
        return module != "builtins" or cls is ExceptionGroup
    path = _file("_collections_abc" if module == "collections.abc" else module)
    return mentions(path, _said(cls, "__name__"))


def held_by(cls: type, module: str) -> bool:
    """Whether a module holds a class by the name that it gives itself."""
    found: Any = sys.modules.get(module)
    for part in _said(cls, "__qualname__").split("."):
        found = getattr(found, part, None)
    return found is cls


def _file(module: str) -> str:
    return file_of(sys.modules.get(module))


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
    return flags_of(cls) & (_HEAP | _IMMUTABLE) == _HEAP and not foreign_library(cls)


def stateful(cls: type) -> bool:
    return issubclass(cls, (Spec, Record))


def of_its_module(function: types.FunctionType) -> bool:
    """Whether a function belongs to the module of its file, and was not made to look so: what that module has in its
    place, as operator has functions in C, was read, and it was not."""
    module, path = sys.modules.get(str(function.__globals__.get("__name__"))), function.__code__.co_filename
    if getattr(module, "__file__", None) != path or getattr(module, "__dict__", None) is not function.__globals__:
        return False
    if path not in _TRUSTED_FILES:
        return True
    return any(module is read for read in _READ) and _held(function, function.__globals__)


def _held(function: types.FunctionType, names: Mapping[str, Any]) -> bool:
    """Whether a module holds a function, or one of its classes does; or it is one that another one has made."""
    if "<locals>" in function.__code__.co_qualname:
        return True
    if function_of(names.get(function.__code__.co_name)) is function:
        return True
    classes = [value for value in names.values() if isinstance(value, type)]
    held = (value for holder in (names, *map(vars_of, classes)) for value in holder.values())
    return any(function_of(value) is function for value in held)


def ours(code: CodeType) -> bool:
    """Whether a code object comes with the checker, or is a part of Python that is frozen."""
    return is_ours(code.co_filename) and genuine(code)


def of_library(code: CodeType, names: Mapping[str, Any]) -> bool:
    """Whether code that has these globals stands in the file of a library's module. That is asked of the module: what
    pytest keeps of one that it has compiled names the file as it lay then, also where the installation was moved."""
    module = sys.modules.get(str(names.get("__name__")))
    path = file_of(module)
    return getattr(module, "__dict__", None) is names and bytecode.of_library(path) and stands_in(code, path)


def beside(code: CodeType, names: Mapping[str, Any]) -> bool:
    """Whether code that has these globals is of the checker or of a library, which nobody has made to look so."""
    return ours(code) or of_library(code, names)


def kept_from_specs(function: types.FunctionType) -> bool:
    """Whether a function is of the checker, and none of the language: it may know a symbol when it sees one."""
    of_module = "<locals>" not in function.__code__.co_qualname
    return of_module and ours(function.__code__) and not any(function is word for word in _LANGUAGE)


def trusted(code: CodeType) -> bool:
    """Whether a code object is ours, or of a library that was read."""
    path = code.co_filename
    return (is_ours(path) or path in _TRUSTED_FILES) and genuine(code)


_LANGUAGE = [vars(language)[name] for name in language.__all__]
_READ = [importlib.import_module(name) for name in sorted(TRUSTED)]
collections.Counter().most_common(1)  # Python 3.14 gives `collections` its heapq then, which is no change of a spec's
_LIBRARY = os.path.dirname(os.__file__)
_PATHS = [os.path.join(_LIBRARY, *name.split(".")) for name in TRUSTED]
_TRUSTED_FILES = {*(f"{path}.py" for path in _PATHS), *(os.path.join(path, "__init__.py") for path in _PATHS)}


def generated(cls: type, name: str, value: Any) -> bool:
    """Whether dataclasses wrote a method of a class: it has such a name, and mentions the fields only. Who writes the
    hash of some fields himself writes what they do."""
    code = getattr(value, "__code__", None)
    if name == "__hash__" and type(value) is types.FunctionType and _hashes_fields(value):
        return True
    if not isinstance(code, CodeType) or code.co_filename != "<string>" or name not in _WRITTEN:
        return False
    fields = {*vars(cls).get("__dataclass_fields__", ())}
    known = fields | _WORDS | ({"join"} if _joins_own_text(code) else set())
    plain = all(n in known or n.startswith("__dataclass_") for n in code.co_names)
    return bool(fields) and plain and _compares_classes_only(code)


def _hashes_fields(function: types.FunctionType) -> bool:
    """Whether a method returns hash() of what its first parameter holds, and does nothing else."""
    code, steps = function.__code__, bytecode.steps_of(function.__code__)
    asked = [step.argval for step in steps if step.opname == "LOAD_GLOBAL"]
    called = sum(step.opname == "CALL" for step in steps)
    if code.co_argcount != 1 or asked != ["hash"] or called != 1 or not _HASHING.issuperset(s.opname for s in steps):
        return False
    return "hash" not in function.__globals__ and getattr(function, "__builtins__", None) is vars(builtins)


_HASHING = {"RESUME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_ATTR", "LOAD_CONST", "BUILD_TUPLE", "CALL", "RETURN_VALUE"}


def _joins_own_text(code: CodeType) -> bool:
    """Whether a method asks nothing for `join` but an empty text, as Python does for an f-string of many parts."""
    before = ("", "")
    for step in bytecode.steps_of(code):
        if step.argval == "join" and not (step.opname in ("LOAD_METHOD", "LOAD_ATTR") and before == ("LOAD_CONST", "")):
            return False
        before = (step.opname, step.argval)
    return True


def _compares_classes_only(code: CodeType) -> bool:
    """Whether `is`, `type` and `.__class__` stand in a method only as dataclasses write them."""
    text = " ".join(map(_word, bytecode.steps_of(code)))
    for written in _AS_WRITTEN:
        text = text.replace(written, "")
    return {*_IDENTITY.values()}.isdisjoint(text.split(" "))


def _word(step: Instruction) -> str:
    """The names in an instruction, with a word of its own for what asks who somebody is."""
    named = None if step.opname == "IS_OP" else step.argval
    found = _IDENTITY.get((step.opname, named)) if isinstance(named, (str, type(None))) else None
    return found or str(named)


_IDENTITY = {("IS_OP", None): "=is=", ("LOAD_GLOBAL", "type"): "=type=", ("LOAD_ATTR", "__class__"): "=class="}
_AS_WRITTEN: tuple[str, ...] = ("other =class= self =class= =is=", "self other =is=", "self =class= __qualname__")
_AS_WRITTEN += ("=type= self 1 cls =is=", "=type= self 1 __class__ =is=")  # the second in late 3.14
_AS_WRITTEN += ("__dataclass_HAS_DEFAULT_FACTORY__ =is=", "_HAS_DEFAULT_FACTORY =is=")


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
    foreign = any(not (user_class(base) or foreign_library(base)) for base in mro_of(cls))
    foreign = foreign and module_of(cls) not in COMPUTING
    return foreign or (hasattr(cls, "__next__") and not user_class(cls))
