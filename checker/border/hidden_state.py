"""State outside of the state: data that a spec changes where no engine sees it.

What a spec can get hold of besides its variables (lists and dictionaries of a module, attributes of classes and of
objects of its own) is compared before and after it was executed.
"""

from __future__ import annotations

import abc
import collections
import functools
import gc
import operator
import sys
import types
import weakref
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from types import FrameType
from typing import Any, NamedTuple

from ..errors import EverystateError, user_place
from ..language.declarations import class_place
from ..language.domains import Domain
from ..language.marks import Constant
from ..language.methods import Bound, Method, function_of
from ..language.record import Record
from ..language.reserved_names import check_class, check_variables
from ..language.spec import Spec
from . import as_loaded, bytecode, determinism, hooks
from .containers import parts_of
from .environment import Asked
from .findings import Cached, Origin, Slots, any_code, contents, slots_of
from .heap import Heap, Held, References
from .loaded import beginning, modules_from
from .ownership import (
    beside,
    fields_of,
    generated,
    held_by,
    is_a,
    module_of,
    mro_of,
    ours,
    user_class,
    vars_of,
)
from .policy import OF_EXCEPTIONS
from .reach import Reach
from .watch import Watch, unexamined


def examine(spec: Spec, symbols: bool) -> Outside:
    """Refuse what cannot be checked soundly; raises E230 or E232 at the first line that does it.

    `symbols` says whether the spec is about to be traced. Without, only what keeps state outside of the state is
    refused, since plain Python decides everything else exactly. E145 where Python leaves out parts of the spec.
    """
    if sys.flags.optimize:
        raise EverystateError("E145", class_place(type(spec)), spec=type(spec).__name__)
    _SKIPPED.clear()
    check_class(type(spec), Spec)
    check_variables(spec)
    reach = Reach(spec)
    made = determinism.check(spec, reach)
    hooks.check(reach, made.modules)
    as_loaded.check(spec, reach)
    refused = [(error, state) for error, state in reach.refused if state or symbols]
    if refused:
        raise told_of(refused)
    return Outside(reach, symbols, made.asked)


def told_of(refused: Sequence[tuple[EverystateError, bool]]) -> EverystateError:
    """Which of several refusals is told: one that an author finds, and of a `with` itself not what it leads to."""
    first, _ = min(refused, key=lambda found: (found[0].where is None or found[0].where.in_library, not found[1]))
    itself = (error for error, _ in refused if error.where == first.where and error.facts.get("expression") == "`with`")
    return next(itself, first)


def _roots(spec: Spec, modules: Iterable[types.ModuleType]) -> list[tuple[str, Any]]:
    """Where the heap of a spec is entered: modules, the spec and its bases, its constants, the values of parameters."""
    own = {name: value for name, value in vars(spec).items() if name not in _OURS}
    values = [value for instance in spec.instances for _, value in instance.arguments]
    found = [*((m.__name__, m) for m in modules), (type(spec).__name__, type(spec)), *own.items()]
    return [*found, *spec._constants.items(), *(("a parameter", value) for value in values)]


_MADE = {"_declared", "_variables", "_constants", "instances", "properties"}
_OURS = _MADE | {"_frame", "_assumed", "_declaring"}


_OF_THE_SPEC = ("it is a part of what the spec was made of, and was exchanged since", "leave it as it was made", "E232")


def _made(spec: Spec) -> dict[str, Any]:
    """What a spec has from us, and its class."""
    return {
        "its class": type(spec),
        **{name: value for name, value in vars(spec).items() if name in _MADE},
    }


class Read:
    """What functions that are executed once for every path, and merged, were given or hold; they must only read it."""

    def __init__(self, spec: Spec, parts: tuple[Any, ...]) -> None:
        self._held: list[tuple[Any, list[Any]]] = []
        self._seen: set[int] = {id(spec)}
        for part in parts:
            if type(part) not in _UNCHANGING:
                self._add(part)

    def check(self) -> None:
        """E233 when something has changed since."""
        for value, before in self._held:
            if not _same(before, _content(value)):
                raise EverystateError("E233", user_place(), kind=_in_words(value))

    def _add(self, value: Any) -> None:
        cls = type(value)
        if cls in _UNCHANGING or id(value) in self._seen or id(cls) in _SKIPPED:
            return
        self._seen.add(id(value))
        if cls is list or cls is tuple or cls is dict:
            self._hold(value)
        elif cls is types.FunctionType:
            self._function(value)
        elif cls in (types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType):
            self._add(value.__self__)
        elif cls is Bound:
            self._add(value._method)
        elif cls is functools.partial:
            self._add((value.func, value.args, value.keywords, fields_of(value)))
        elif cls is functools._lru_cache_wrapper:
            self._add((value.__wrapped__, fields_of(value)))
        elif issubclass(cls, type):
            for base in mro_of(value):
                if user_class(base) and not held_by(base, module_of(base)):
                    self._hold(base)
        elif issubclass(cls, (Iterator, types.CoroutineType, types.AsyncGeneratorType)):
            raise EverystateError("E233", user_place(), kind="an iterator, which can be read once only")
        elif is_a(value, Domain, Constant):
            self._hold(fields_of(value))
        elif module_of(cls).startswith(_CHECKER):
            _SKIPPED[id(cls)] = cls
        elif is_a(value, Spec):
            return
        elif is_a(value, staticmethod, classmethod, property):
            self._add(function_of(value))
        elif is_a(value, Method):
            self._add(value.wrapped)
        elif is_a(value, types.ModuleType):
            if sys.modules.get(value.__name__) is not value:
                self._hold(vars(value))
        else:
            self._fields(value)

    def _function(self, value: types.FunctionType) -> None:
        if value.__closure__ and not ours(value.__code__):
            self._hold(Cells(value.__closure__))
        for part in (value.__defaults__, value.__kwdefaults__, value.__dict__):
            if part:
                self._hold(part)

    def _fields(self, value: Any) -> None:
        """What an object holds: as a collection, in its dictionary, in its slots and in its class."""
        self._add(type(value))
        if is_a(value, BaseException):
            self._hold(Slots(value, OF_EXCEPTIONS))
        elif is_a(value, Fraction):
            self._hold(Slots(value, ("_numerator", "_denominator")))
        elif is_a(value, types.CellType):
            self._hold(Cells((value,)))
        elif is_a(value, collections.defaultdict):
            self._add(value.default_factory)
        if is_a(value, list, tuple, set, frozenset, dict, collections.deque, bytearray):
            self._hold(value)
        fields = fields_of(value)
        if fields and is_a(value, Record) and "_binding" in fields:
            for part in getattr(fields["_binding"], "made_of", ()):
                self._add(part)
        elif fields:
            self._hold(fields)
        slots = slots_of(value)
        if slots is not None:
            self._hold(slots)

    def _hold(self, value: Any) -> None:
        content = _content(value)
        self._held.append((value, content))
        for part in content:
            if type(part) not in _UNCHANGING:
                self._add(part)


class Cells:
    """The outer variables of a function."""

    __slots__ = ("cells",)

    def __init__(self, cells: tuple[types.CellType, ...]) -> None:
        self.cells = cells


_UNCHANGING = {int, float, complex, str, bytes, bool, type(None), range}
_CHECKER = __name__.partition("border")[0]


class _Classes(dict[int, type]):
    """Classes by their identity."""


_SKIPPED = _Classes()
"""Classes of the checker whose objects, such as symbols, nobody looks into; found anew whenever a spec is examined."""


def _in_words(value: Any) -> str:
    if isinstance(value, Cells):
        return "an outer variable"
    return f"a {type(value).__name__}"


class _Empty(weakref.WeakSet[Any]):
    """Functions with a cache that was empty when they were met: it fills while we work."""


_EMPTY = _Empty()


class Beside:
    """What names lead to that the heap does not hold, with who mentions it and what it held."""

    def __init__(self, found: Iterable[tuple[Any, Origin]]) -> None:
        held = [(value, origin, _content(value)) for value, origin in found]
        self._others = [each for each in held if not _places(each[0])]
        self._plain = [each for each in held if _places(each[0])]
        self._references = References(place for value, *_ in self._plain for place in _places(value))

    def changes(self) -> Iterator[tuple[Any, Origin, list[Any], list[Any]]]:
        """All that hold something else than they did, who mentions them, and what they held and hold."""
        yield from _changes(self._others)
        if self._references.unchanged():
            return
        found = [*_changes(self._plain)]
        if not found:
            self._references.take()  # what has been made anew means the same
        yield from found


def _changes(held: list[tuple[Any, Origin, list[Any]]]) -> Iterator[tuple[Any, Origin, list[Any], list[Any]]]:
    for value, origin, before in held:
        now = _content(value)
        if not _same(before, now):
            yield value, origin, before, now


def _places(value: Any) -> list[Any]:
    """Where all references are that an object holds, so that the collector tells them; else nothing."""
    if issubclass(type(value), type):
        return gc.get_referents(vars_of(value))
    return [value] if type(value) is dict or type(value) is list else []


class Outside:
    """What lies around a spec: what data held before it was executed, and which functions were examined."""

    def __init__(self, reach: Reach, symbols: bool, asked: Asked | None = None) -> None:
        self.reach, self.asked = reach, asked
        self._codes = set(reach.codes)
        self.names, self.any_name, self.any_hidden = reach.names, reach.any_name, reach.any_hidden
        known = {code.co_name for code in reach.codes}
        modules = modules_from({code.co_filename for code in reach.codes})
        roots = _roots(reach.spec, modules)
        classes = [v for _, m in roots if isinstance(m, types.ModuleType) for v in list(vars(m).values())]
        self.own_equality = "__eq__" in known or "__ne__" in known or any(map(_compares, classes))
        """Whether an object could be asked in Python what it equals."""
        stored = frozenset().union(*map(bytecode.stored, reach.codes))
        self._heap = Heap(roots, stored)
        self._beside = [Beside(found for found in reach.data.values() if not self._heap.holds(found[0]))]
        self._refused: EverystateError | None = None
        self._registered = _registrations()
        self._made = _made(reach.spec)
        self._caches = [value.function for value, _ in reach.data.values() if is_a(value, Cached)]
        _EMPTY.update(cache for cache in self._caches if not cache.cache_info().currsize)
        self._runs: collections.Counter[str] = collections.Counter()
        self.watch = Watch(self._met if symbols and unexamined(reach, modules, self._heap.functions) else None)

    def ran(self, name: str) -> None:
        """A path of something was executed; another one could put back what it changed."""
        self._runs[name] += 1
        if self._runs[name] in _LOOKS or self._heap.disturbed():
            self.check()

    def forget(self) -> None:
        """Let functions with a cache forget the symbols that they were given: nobody may ask these again.

        One that has remembered something before keeps that: who knows what it would say of it now.
        """
        for cache in self._caches:
            if cache in _EMPTY:
                cache.cache_clear()

    def asked_too_late(self) -> EverystateError:
        """E224 for a symbol that is asked after its trace: a function with a cache has remembered it."""
        kept = [cache.__qualname__ for cache in self._caches if cache not in _EMPTY]
        return EverystateError("E224", user_place(), function=" or ".join(kept) or "a function")

    def check(self) -> None:
        """E232 when something has changed since; what the watch refused, if the spec has swallowed that."""
        if self._refused is not None:
            raise self._refused
        for each in self._beside:
            for value, origin, before, now in each.changes():
                raise self._changed(value, origin, before, now)
        self._check_registered()
        made = _made(self.reach.spec)
        for name in self._made:
            if made.get(name) is not self._made[name]:
                raise Origin(any_code(self.reach.spec), name).error(*_OF_THE_SPEC)
        found = self._heap.changed()
        if found is not None:
            held, now = found
            raise self._changed(held.place, self._origin(held), held.parts, now, owner=held.value)

    def _origin(self, held: Held) -> Origin:
        """Who mentions a value of the heap: whom `reach` met first, else the first function that has its name."""
        for known in (held.value, held.place):
            if id(known) in self.reach.data:
                return self.reach.data[id(known)][1]
        codes = [code for code in self._codes if held.name in code.co_names]
        first = min(codes, key=lambda code: code.co_firstlineno, default=any_code(self.reach.spec))
        return Origin(first, held.name)

    def _check_registered(self) -> None:
        """E232 where an abstract class was given a subclass, unless by a module that somebody has loaded meanwhile."""
        now, before = _registrations(self._registered), self._registered
        self._registered = now
        if now.token == before.token:
            return
        naming = next((code for code in self._codes if "register" in code.co_names), None)
        others = now.modules != before.modules or before.loading
        if naming is not None or not others:
            place = Origin(naming or any_code(self.reach.spec), "register")
            raise place.error("what it remembers is no part of the state", "derive from the class", "E232")

    def _met(self, frame: FrameType) -> None:
        """A function begins: refuse it where it would have been refused if a name had led to it."""
        code = frame.f_code
        if code in self._codes or beside(code, frame.f_globals) or _by_dataclass(frame):
            return  # libraries are examined where a name leads to them; they also begin by themselves, at a collection
        known = set(self.reach.data)
        refused = self.reach.examine(code, frame.f_globals)
        self._beside.append(Beside(found for key, found in self.reach.data.items() if key not in known))
        self._codes.add(code)
        if refused:
            self._refused = refused[0]
            raise self._refused

    def _changed(
        self, value: Any, origin: Origin, before: list[Any], now: list[Any], owner: Any = None
    ) -> EverystateError:
        owner = value if owner is None else owner
        kind = f"the class {owner.__name__}" if issubclass(type(owner), type) else f"a {type(owner).__name__}"
        error = origin.error(
            f"it is {kind} that changed while an action or a property was executed",
            "make it a variable of the spec, declared in variables()",
            "E232",
        )
        fresh: set[str] = set()
        if _has_names(value):
            was = {n: v for n, v in zip(before[::2], before[1::2], strict=True) if isinstance(n, str)}
            pairs = zip(now[::2], now[1::2], strict=True)
            fresh = {n for n, v in pairs if isinstance(n, str) and (n not in was or was[n] is not v)}
        for code in self._codes:
            for line in bytecode.assigned(code, fresh):
                error.where = bytecode.place(code, line)
        return error


def _by_dataclass(frame: FrameType) -> bool:
    """Whether a frame executes a method that dataclasses wrote, or could have."""
    code = frame.f_code
    if not code.co_varnames or (code.co_filename != "<string>" and code.co_name != "__hash__"):
        return False
    for cls in type(frame.f_locals.get(code.co_varnames[0])).__mro__:
        method = vars(cls).get(code.co_name)
        while method is not None:
            if getattr(method, "__code__", None) is code:
                return generated(cls, code.co_name, method)
            method = getattr(method, "__wrapped__", None)
    return False


class _Registrations(NamedTuple):
    """What tells that an abstract class was given a subclass, and whether a library may have done so that begins."""

    token: object
    modules: int
    loading: bool


def _registrations(before: _Registrations | None = None) -> _Registrations:
    """As it is now. A library stands among the modules before it is executed: while one is, all are looked at again."""
    modules = len(sys.modules)
    look = before is None or before.loading or before.modules != modules
    return _Registrations(abc.get_cache_token(), modules, look and any(map(_library_begins, beginning())))


def _library_begins(module: types.ModuleType) -> bool:
    path = vars(module).get("__file__")
    return type(path) is str and bytecode.of_library(path)


_LOOKS = {1, 2, 3, *(1 << n for n in range(4, 40, 4))}
"""After how many paths of one thing everything around a spec is compared, besides the last."""


def _compares(value: Any) -> bool:
    """Whether a value is a class that says in Python what its objects are equal to, and no part of the language."""
    own = issubclass(type(value), type) and not module_of(value).startswith(_CHECKER)
    method = getattr(value, "__eq__", None) if own else None
    return isinstance(method, types.FunctionType) and not ours(method.__code__)


def _has_names(value: Any) -> bool:
    """Whether the parts of an object are names, each followed by its value."""
    return is_a(value, type, dict, types.MappingProxyType, Slots)


def _content(value: Any) -> list[Any]:
    """The parts of an object, one level deep; deeper ones are objects of their own."""
    if type(value) is list or type(value) is tuple:
        return list(value)
    if type(value) is Cells:
        return [contents(cell) for cell in value.cells]
    if issubclass(type(value), type):
        # annotations are made when they are first read
        return [part for item in vars_of(value).items() if not item[0].startswith("__") for part in item]
    if is_a(value, Slots):
        return [part for item in value.items() for part in item]
    return list(value) if is_a(value, Cached) else parts_of(value)


def _same(before: list[Any], now: list[Any]) -> bool:
    if len(before) != len(now):
        return False
    if all(map(operator.is_, before, now)):
        return True
    return all(a is b or _equal(a, b) for a, b in zip(before, now, strict=True))


def _equal(a: Any, b: Any) -> bool:
    """Whether two parts that are not the same object mean the same: numbers and texts may be made anew."""
    return type(a) is type(b) and type(a) in (int, float, str, bytes, bool) and bool(a == b)
