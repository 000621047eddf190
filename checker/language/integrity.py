"""What our own modules hold, and those of Python by which we see a spec, to see later whether somebody has put anything
else in its place."""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, NamedTuple, TypeAlias

from ..errors import modules_by_name

_INNER: dict[type, tuple[str, ...]] = {
    classmethod: ("__func__",),
    staticmethod: ("__func__",),
    property: ("fget", "fset"),
    functools.cached_property: ("func",),
    functools._lru_cache_wrapper: ("__wrapped__",),
}
"""Where functions are that Python, or a wrapper of its library, calls in the place of a value."""
_OURS = __name__.partition(".")[0] + "."
_BY_PYTHON = {"__annotations__", "__annotations_cache__", "__annotate__", "__annotate_func__", "__slotnames__"}
_BY_PYTHON |= {"__warningregistry__"}
"""What Python itself adds to a class or a module: asked for annotations, copied, or with a warning."""


class Note(NamedTuple):
    """What a module, a class or a dictionary of a module held; `owner` is that, `now` what it holds at any time."""

    name: str
    owner: Any
    now: Mapping[str, Any]
    before: Mapping[str, Any]

    def replaced(self) -> list[str]:
        """The names that stand for something else now.

        To a class nothing may be added either, and to a module nothing but other modules: it may hide one of Python's.
        """
        now, before = self.now, self.before
        if self.unchanged():
            return []
        found = [name for name, value in before.items() if name not in now or now[name] is not value]
        if isinstance(self.owner, dict):
            return found
        added = [name for name, value in now.items() if name not in before and not isinstance(value, ModuleType)]
        return found + [name for name in added if name not in _BY_PYTHON]

    def unchanged(self) -> bool:
        """Whether all names stand for the same."""
        return len(self.now) == len(self.before) and all(map(operator.is_, self.now.values(), self.before.values()))

    def put_back(self) -> None:
        """Let the names stand for what they stood for."""
        for name in self.replaced():
            if isinstance(self.owner, dict):
                self.owner[name] = self.before[name]
            elif name in self.before:
                setattr(self.owner, name, self.before[name])
            else:
                delattr(self.owner, name)


class Borrowed(Note):
    """The same of a module that is not ours: of that only functions, classes and `sys.modules` stay what they were."""

    def replaced(self) -> list[str]:
        """Those that are something else now, or are missing."""
        if self.unchanged():
            return []
        found = [name for name, value in self.before.items() if self.now.get(name) is not value]
        return [name for name in found if name == _MODULES or (callable(self.before[name]) and name not in _OTHERS)]


class Filled(NamedTuple):
    """What a list or set of a module held."""

    name: str
    key: str
    now: list[Any] | set[Any]
    before: tuple[Any, ...] | frozenset[Any]

    def replaced(self) -> list[str]:
        """Its name, where it holds something else now."""
        now = self.now if isinstance(self.now, set) else tuple(self.now)
        return [] if now == self.before else [self.key]

    def put_back(self) -> None:
        """Let it hold what it held."""
        self.now.clear()
        if isinstance(self.now, set):
            self.now.update(self.before)
        else:
            self.now.extend(self.before)


class Made(NamedTuple):
    """What the functions of a module or a class were made of: that can be exchanged where they stand.

    Of each its name, its code, its default values, and those of keywords with a copy of them.
    """

    name: str
    before: list[tuple[str, Any, CodeType, tuple[Any, ...] | None, dict[str, Any] | None, dict[str, Any] | None]]

    def replaced(self) -> list[str]:
        """The names of those that are made of something else now."""
        return [
            key
            for key, now, code, defaults, keywords, copy in self.before
            if now.__code__ is not code
            or now.__defaults__ is not defaults
            or now.__kwdefaults__ is not keywords
            or keywords != copy
        ]

    def put_back(self) -> None:
        """Let them be made of what they were."""
        for _, now, code, defaults, keywords, copy in self.before:
            now.__code__, now.__defaults__, now.__kwdefaults__ = code, defaults, keywords
            if keywords is not None and copy is not None and keywords != copy:
                keywords.clear()
                keywords.update(copy)


def functions_in(value: Any) -> Iterator[FunctionType]:
    """The functions in a value of a module or a class: those of methods and properties, and what wrappers stand for."""
    if type(value) is FunctionType:
        yield value
        if value.__code__.co_freevars:  # what it stands for, it calls by an outer variable
            yield from functions_in(vars(value).get("__wrapped__"))
    for name in _INNER.get(type(value), ()):
        yield from functions_in(getattr(value, name))


class Rows:
    """What notes compare, in rows of C: so it is soon found that nothing has changed."""

    def __init__(self, notes: Iterable[Noted]) -> None:
        noted = tuple(notes)
        made = [each for note in noted if isinstance(note, Made) for each in note.before]
        self.held = tuple(note.now.values() for note in noted if isinstance(note, Note))  # of what it holds then
        self.filled = tuple(note for note in noted if isinstance(note, Filled))
        self.functions = tuple(function for _, function, *_ in made)
        self.lengths, self.values = (*map(len, self.held),), (*itertools.chain.from_iterable(self.held),)
        self.parts = tuple(itertools.chain.from_iterable(parts for _, _, *parts, _ in made))
        self.keywords = tuple((keywords, copy) for *_, keywords, copy in made if copy is not None)

    @classmethod
    def of_all(cls, rows: Collection[Rows]) -> Rows:
        """All rows of some, one behind the other."""
        found = cls(())
        for name in vars(found):
            setattr(found, name, tuple(itertools.chain.from_iterable(map(operator.attrgetter(name), rows))))
        return found

    def hold_the_same(self) -> bool:
        """Whether the modules, their classes, dictionaries, lists and sets hold what they held."""
        if not all(map(operator.eq, map(len, self.held), self.lengths)):
            return False
        if not all(map(operator.is_, itertools.chain.from_iterable(self.held), self.values)):
            return False
        return not any(note.replaced() for note in self.filled)

    def unchanged(self) -> bool:
        """Whether no note has anything to tell."""
        return (
            self.hold_the_same()
            and all(map(operator.is_, itertools.chain.from_iterable(map(_PARTS, self.functions)), self.parts))
            and all(itertools.starmap(operator.eq, self.keywords))
        )


class OfModule:
    """The notes of a module of ours.

    Nobody changes what is taken down here: it is kept for the next spec, if the module holds the same then.
    """

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name, self.module, self.notes = name, module, tuple(of_module(name, module))
        self.rows = Rows(self.notes)

    def changed(self) -> Iterable[Noted]:
        """Its notes, if one may have something to tell."""
        return () if self.rows.unchanged() else self.notes


class OfModules:
    """The notes of the modules of one of our packages that were loaded, to be looked at as one."""

    def __init__(self, taken: Iterable[OfModule]) -> None:
        self.each = tuple(taken)
        self.modules = tuple(known.module for known in self.each)
        self.rows = Rows.of_all([known.rows for known in self.each])

    def is_of(self, modules: Collection[ModuleType]) -> bool:
        """Whether these, and no others, are the modules."""
        return len(modules) == len(self.modules) and all(map(operator.is_, modules, self.modules))

    def changed(self) -> Iterable[Noted]:
        """The notes of the modules that may have something to tell."""
        return () if self.rows.unchanged() else itertools.chain.from_iterable(known.changed() for known in self.each)


_PARTS = operator.attrgetter("__code__", "__defaults__", "__kwdefaults__")


Noted: TypeAlias = Note | Filled | Made
"""What was noted, to be looked at again."""
Held: TypeAlias = Noted | OfModule | OfModules
Notes: TypeAlias = Iterable[Held]


def changed(notes: Notes) -> Iterator[Noted]:
    """The notes that may have something to tell."""
    for note in notes:
        yield from note.changed() if isinstance(note, (OfModule, OfModules)) else (note,)


class Loaded:
    """The module of a target that was loaded, and what was noted before, and of what was loaded since; the `folders`
    that are on the path because of a target."""

    def __init__(self) -> None:
        self.module: ModuleType | None = None
        self.notes: list[Held] = []
        self.folders: set[str] = set()


LOADED = Loaded()
"""Of the latest target of a command."""

RELIED_ON = (
    *("collections", "ctypes", "dis", "functools", "gc", "itertools", "llvmlite.binding", "numpy", "operator"),
    *("json", "json.encoder", "sys"),
)
"""The modules that are not ours by which a spec is examined, compiled and searched, and reports are written."""
_IMMUTABLE = 1 << 8
_MODULES = "modules"
"""Imports written in C go on with the dictionary that stood here first."""
_OTHERS = {"excepthook", "displayhook", "unraisablehook", "breakpointhook", "last_type"}
"""What Python offers to be replaced, or replaces itself at its prompt."""


def noted(beginning: str = _OURS) -> list[OfModules]:
    """What those of our modules hold that are loaded, and whose names begin so; another thread may be loading one."""
    loaded = dict(modules_by_name())
    ours = map(str.startswith, loaded, itertools.repeat(beginning))
    found = dict[str, list[tuple[str, ModuleType]]]()
    for name, module in itertools.compress(loaded.items(), ours):
        if not being_loaded(module):
            found.setdefault(name.rpartition(".")[0], []).append((name, module))
    return [_taken_together(package, modules) for package, modules in found.items()]


def _taken_together(package: str, modules: list[tuple[str, ModuleType]]) -> OfModules:
    known = _PACKAGES.get(package)
    if known is None or not known.is_of([module for _, module in modules]) or not known.rows.hold_the_same():
        known = _PACKAGES[package] = OfModules(itertools.starmap(taken, modules))
    return known


class _Packages(dict[str, OfModules]):
    """What was taken down of the modules of a package when they were looked at last: it fills while we work."""


_PACKAGES = _Packages()


def taken(name: str, module: ModuleType) -> OfModule:
    """What a module holds now: taken down anew only where that is not what it held when it was asked before."""
    known = _TAKEN.get(name)
    if known is None or known.module is not module or not known.rows.hold_the_same():
        known = _TAKEN[name] = OfModule(name, module)
    return known


class _Taken(dict[str, OfModule]):
    """What was taken down of our modules when they were looked at last: it fills while we work."""


_TAKEN = _Taken()


def being_loaded(module: ModuleType) -> bool:
    """Whether Python is still executing a module for the first time."""
    return bool(getattr(vars(module).get("__spec__"), "_initializing", False))


def borrowed() -> list[Borrowed]:
    """What those modules hold that are not ours."""
    return [note for name in RELIED_ON if name in sys.modules for note in borrowed_of(sys.modules[name])]


def borrowed_of(module: ModuleType) -> list[Borrowed]:
    """What one of them holds, and its classes that can be changed."""
    classes = [value for value in vars(module).values() if isinstance(value, type) and not value.__flags__ & _IMMUTABLE]
    owners = [(module.__name__, module), *((f"{module.__name__}.{cls.__name__}", cls) for cls in classes)]
    return [Borrowed(name, owner, vars(owner), dict(vars(owner))) for name, owner in owners]


def of_module(name: str, module: ModuleType) -> Iterator[Noted]:
    """What one module holds, with its functions, classes, dictionaries, lists and sets.

    These are what a module is made of. What fills while we work is of a class of its own, as the meter of Spark is.
    """
    held = vars(module)
    yield Note(name, module, held, _copied(held))
    yield _made(name, held)
    for key, value in list(held.items()):
        if isinstance(value, type) and value.__module__ == name:
            yield Note(f"{name}.{key}", value, vars(value), _copied(vars(value)))
            yield _made(f"{name}.{key}", vars(value))
        elif type(value) is dict and key != "__builtins__":
            yield Note(f"{name}.{key}", value, value, _copied(value))
        elif type(value) is list or type(value) is set:
            yield Filled(name, key, value, tuple(value) if type(value) is list else frozenset(value))


def _copied(held: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(held))


class _Kept(dict[str, tuple[tuple[Any, ...], Made]]):
    """What was taken down of modules and classes, with what stood in them: it fills while we work."""


_KEPT = _Kept()


def _made(name: str, held: Mapping[str, Any]) -> Made:
    """What the functions of a module or class were made of when they were first seen there."""
    known = _KEPT.get(name)
    if known is None or len(known[0]) != len(held) or not all(map(operator.is_, known[0], held.values())):
        found = [(key, f) for key, value in held.items() for f in functions_in(value)]
        ours = [(key, f) for key, f in found if (f.__module__ or "").startswith(_OURS)]
        made = Made(name, [(key, f, f.__code__, f.__defaults__, *_keywords(f)) for key, f in ours])
        known = _KEPT[name] = tuple(held.values()), made
    return known[1]


def _keywords(function: FunctionType) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    found: dict[str, Any] | None = function.__kwdefaults__
    return found, found and found.copy()


def put_back(notes: Notes) -> None:
    """Let all names stand for what they stood for."""
    for note in changed(notes):
        note.put_back()
