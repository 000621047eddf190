"""Spells out by value what a spec consists of: functions, classes, modules and data, as far as they can be reached.

Two specs with the same text are traced to the same model. So everything counts that the front end can read: the code of
functions, with the globals, closures and defaults that they use; classes, with their bases and attributes; the fields
of objects; of a module, the names that some code mentions. What cannot be spelled out is `Unknown`: an open file, a
compiled extension, a function that may read the clock or the environment.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import linecache
import os
import sys
import types
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ..errors import file_of, is_ours
from .code_text import written
from .source import text_of

MOST = 200_000
"""Values that are spelled out; a larger content is unknown."""
PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented), range)
"""Types of values whose `repr` has all that counts."""
PURE = {
    *("__future__", "abc", "array", "base64", "binascii", "bisect", "builtins", "cmath", "collections", "contextlib"),
    *("copy", "copyreg", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "graphlib", "hashlib"),
    *("heapq", "itertools", "json", "keyword", "math", "numbers", "operator", "re", "sre_constants", "statistics"),
    *("string", "struct", "textwrap", "types", "typing", "unicodedata", "zlib"),
}
"""Modules of Python whose functions and classes depend on nothing but their arguments and Python's version."""
IMPURE = {
    *("breakpoint", "compile", "dir", "eval", "exec", "globals", "hash", "id", "input", "locals", "open", "vars"),
    "__import__",
}
"""Builtin functions that depend on more than their arguments, or that read names which no code mentions."""
OMITTED = frozenset(("__dict__", "__weakref__", "_abc_impl", "__module__", "__everystate_marked__"))
"""Entries of a class that say nothing of it."""
CONTENTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    list: list.__iter__,
    tuple: tuple.__iter__,
    dict: lambda found: (part for item in dict.items(found) for part in item),
    int: lambda found: (int(found),),
    float: lambda found: (float(found),),
    str: lambda found: (str.__str__(found),),
    bytes: lambda found: (bytes(found),),
}
"""Builtin types that classes of Python are made of, with what an instance holds beside its attributes."""
FUNCTIONS = {
    property: ("fget", "fset", "fdel"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    types.MethodType: ("__func__", "__self__"),
    functools.partial: ("func", "args", "keywords"),
    functools.partialmethod: ("func", "args", "keywords"),
    functools.cached_property: ("func",),
    functools._lru_cache_wrapper: ("__wrapped__",),
    types.UnionType: ("__args__",),
    types.GenericAlias: ("__origin__", "__args__"),
    slice: ("start", "stop", "step"),
}
"""Types with the attributes that hold all of an instance."""
ABSTRACT = frozenset(("abc", "collections.abc", "dataclasses", "enum", "numbers", "typing"))
"""Modules of Python whose classes keep nothing in an object beside its attributes."""
LIBRARY = os.path.dirname(os.__file__) + os.sep
HEAP = 1 << 9


class Unknown(Exception):
    """A value whose content cannot be spelled out."""


class Content:
    """The text of some values, and of all that they are made of; equal texts mean equal values.

    `executed` are classes whose `variables()` does not count, because what it made is among the values.
    """

    def __init__(self, executed: frozenset[type] = frozenset(), depth: int = 0) -> None:
        self.parts: list[str] = []
        self._executed, self._depth = executed, depth
        self._todo: list[Any] = []
        self._seen: dict[int, tuple[int, Any]] = {}
        self._files: set[str] = set()
        self._names: set[str] = set()
        self._modules: dict[str, tuple[ModuleType, set[str]]] = {}
        self._all, self._spelled = False, 0

    def add(self, *values: Any) -> None:
        """Spell out some values; Unknown if one of them has a part that is not known."""
        self._todo += reversed(values)
        self._spell()
        while self._pending():
            self._spell()

    def digest(self) -> str:
        """A short form of the text."""
        return hashlib.sha256("\n".join(self.parts).encode("utf-8", "surrogatepass")).hexdigest()

    def _spell(self) -> None:
        while self._todo:
            value = self._todo.pop()
            kind = type(value)
            if kind in PLAIN:
                self.parts.append(repr(value))
                continue
            self._spelled += 1
            if self._spelled > MOST:
                raise Unknown("size")
            if kind is not tuple:  # whether equal ones are one depends on how Python has loaded a file
                known = self._seen.get(id(value))
                if known is not None:
                    self.parts.append(f"@{known[0]}")
                    continue
                self._seen[id(value)] = len(self._seen), value  # it lives on, so that nothing else gets its number
            self._part(kind, value)

    def _part(self, kind: type, value: Any) -> None:
        if kind in (list, tuple, dict):
            self._push(f"{kind.__name__} {len(value)}", *CONTENTS[kind](value))
        elif kind in (set, frozenset):
            self._set(kind, value)
        elif kind is FunctionType:
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, ModuleType):
            self._module(value)
        elif kind in FUNCTIONS:
            held = [getattr(value, name) for name in FUNCTIONS[kind]]
            self._push(kind.__name__, *held, getattr(value, "__dict__", None))
        elif kind in (types.MappingProxyType, types.CellType):
            self._push(kind.__name__, *([dict(value)] if kind is types.MappingProxyType else _content(value)))
        elif kind in BUILT_IN:
            self._built_in(value)
        else:
            self._instance(kind, value)

    def _push(self, title: str, *values: Any) -> None:
        self.parts.append(title)
        self._todo += reversed(values)

    def _set(self, kind: type, value: Any) -> None:
        """The members in an order that does not depend on their hashes."""
        if all(type(member) in PLAIN for member in value):
            self.parts.append(f"{kind.__name__} {sorted(map(repr, value))}")
            return
        if self._depth > 2:
            raise Unknown("sets of sets")
        texts = []
        for member in value:
            inner = Content(self._executed, self._depth + 1)
            inner.add(member)
            texts.append(inner.digest())
        self._push(f"{kind.__name__} {sorted(texts)}")

    # -- functions -----------------------------------------------------------------------------------------

    def _function(self, function: FunctionType) -> None:
        code, path = function.__code__, function.__code__.co_filename
        held = (function.__defaults__, function.__kwdefaults__, function.__closure__, function.__dict__ or None)
        self._push(f"function {function.__module__}.{function.__qualname__}", *held)
        if is_ours(path) and not path.startswith("<"):  # a version of the checker has its own entries
            return
        home = function.__globals__.get("__name__")
        if _of_python(home, path):
            _require_pure(home, function.__qualname__)
            return
        self._code(code, function.__globals__)

    def _code(self, code: CodeType, names: dict[str, Any]) -> None:
        self._file(code.co_filename)
        text, read, mentioned, imports = written(code)
        self._names |= mentioned
        self._todo += map(_imported, imports)
        own, hashes = vars(builtins), code.co_name == "__hash__"  # whose value only finds the places of members
        used = [(n, names[n] if n in names else own.get(n)) for n in read if not (hashes and n == "hash")]
        self._push(f"{text} {len(used)}", *(part for pair in used for part in pair))

    def _file(self, path: str) -> None:
        """The text of a file, once: its lines are in the messages of a model."""
        if path not in self._files:
            self._files.add(path)
            linecache.checkcache(path)
            self.parts.append(f"file {path} {digest(text_of(path))}")

    def _built_in(self, value: Any) -> None:
        """A function in C, or what such a class has instead of methods."""
        home, name = getattr(value, "__objclass__", None), value.__qualname__
        if home is not None:
            self._push(f"{type(value).__name__} {name}", home)
            return
        owner = value.__self__
        if owner is None or isinstance(owner, ModuleType):
            module = value.__module__ or ""
            if module == "builtins" and name in IMPURE:
                raise Unknown(name)
            _require_pure(module, name)
            self._all = self._all or name == "getattr"
            self._push(f"builtin {module}.{name}")
        else:
            self._push(f"builtin {name}", owner)

    # -- classes and objects -------------------------------------------------------------------------------

    def _class(self, cls: type) -> None:
        path = file_of(sys.modules.get(cls.__module__))
        self.parts.append(f"class {cls.__module__}.{cls.__qualname__}")
        if is_ours(path) or (cls.__module__ == "builtins" and not cls.__flags__ & HEAP):
            return
        if _is_in_python(cls, path):
            _require_pure(cls.__module__, cls.__qualname__)
            return
        if not cls.__flags__ & HEAP or path.endswith((".so", ".pyd")):
            raise Unknown(cls.__qualname__)
        self._file(path)
        omitted = {*OMITTED, "variables"} if cls in self._executed else OMITTED
        held = [part for pair in vars(cls).items() if pair[0] not in omitted for part in pair]
        self._push(f"{len(cls.__bases__)} {len(held)}", type(cls), *cls.__bases__, *held)

    def _instance(self, kind: type, value: Any) -> None:
        if _is_in_python(kind, file_of(sys.modules.get(kind.__module__))):
            _require_pure(kind.__module__, kind.__qualname__)
            self._reduced(kind, value)
            return
        slots, content = list[Any](), list[Any]()
        for base in kind.__mro__[:-1]:
            if base in CONTENTS:
                content = [*CONTENTS[base](value)]
            elif base.__module__ not in ABSTRACT and _is_in_python(base, file_of(sys.modules.get(base.__module__))):
                raise Unknown(kind.__qualname__)
            else:
                slots += _slots(base, value)
        self._push(f"object {len(slots)}", kind, getattr(value, "__dict__", None), *slots, *content)

    def _reduced(self, kind: type, value: Any) -> None:
        """What Python would copy of an instance of its own library."""
        try:
            copied = value.__reduce_ex__(4)
        except Exception:
            raise Unknown(kind.__qualname__) from None
        if isinstance(copied, str):
            if kind.__module__ != "typing":
                raise Unknown(copied)
            self._push(f"typing.{copied}")
            return
        call, arguments, state, items, pairs = (*copied, None, None, None)[:5]
        self._push("reduced", kind, call, arguments, state, *(tuple(part or ()) for part in (items, pairs)))

    # -- modules -------------------------------------------------------------------------------------------

    def _module(self, module: ModuleType) -> None:
        name = module.__name__
        self.parts.append(f"module {name}")
        if not is_ours(file_of(module)):
            self._modules.setdefault(name, (module, set()))

    def _pending(self) -> bool:
        """The attributes of modules that some code mentions and that are not yet spelled out."""
        for name, (module, done) in sorted(self._modules.items()):
            here = vars(module)
            wanted = self._names & here.keys()
            if self._all and not _of_python(name, file_of(module)):
                wanted = {n for n in here if not n.startswith("__")}
            for attribute in sorted(wanted - done):
                done.add(attribute)
                self._todo += here[attribute], f"{name}.{attribute}"
        return bool(self._todo)


BUILT_IN = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
)


def digest(text: str) -> str:
    """A short form of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _imported(name: str) -> ModuleType | None:
    """A module that a function imports: one that is loaded only then is not known before."""
    module = sys.modules.get(name)
    if module is None and name.partition(".")[0] not in sys.stdlib_module_names:
        raise Unknown(f"import {name} in a function")
    return module


def _slots(base: type, value: Any) -> Iterable[Any]:
    """The values of the slots that a class adds."""
    given = vars(base).get("__slots__", ())
    for name in (given,) if isinstance(given, str) else given:
        mangled = f"_{base.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name
        if name not in ("__dict__", "__weakref__") and hasattr(value, mangled):
            yield from (mangled, getattr(value, mangled))


def _content(cell: types.CellType) -> list[Any]:
    """The content of a closure variable, if it has one."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _is_in_python(cls: type, path: str) -> bool:
    """Whether a class is in Python's own library, where it has its name: another one may name a module of it, too."""
    if not _of_python(cls.__module__, path):
        return False
    found: Any = sys.modules.get(cls.__module__)
    for part in cls.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is cls


def _of_python(module: str | None, path: str) -> bool:
    """Whether a module is of Python's own library."""
    own = not path or path.startswith(("<frozen", LIBRARY))
    return own and "-packages" not in path and (module or "").partition(".")[0] in sys.stdlib_module_names


def _require_pure(module: str | None, name: str) -> None:
    root = (module or "").partition(".")[0]
    if root not in PURE and root.lstrip("_") not in PURE:  # _operator has what operator offers
        raise Unknown(f"{module}.{name}")
