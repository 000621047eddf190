"""Methods that only look like actions: they require something or change the state, and nobody calls them (E133).

Whoever forgets `@action` would have a spec proved that cannot do what he wrote. Names tell who is called, and by whom:
a method that calls one which acts does act itself, under whatever decorator, in whichever class of a hierarchy.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from dis import Instruction
from types import CodeType, FunctionType

from ..errors import EverystateError
from ..language.methods import function_of
from ..language.spec import Spec
from ..language.statements import choose, require
from . import bytecode
from .findings import contents
from .ownership import beside, mro_of, user_class, vars_of
from .sources import all_codes

_CHANGES = ("STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE")
_PARTS = ("LOAD_ATTR", "BINARY_SUBSCR")
"""What gives a part of a variable, which is a reference."""
_GIVING = ("LOAD_GLOBAL", "LOAD_NAME", "CALL")
"""What may put a class, or super(), before the name of a method."""
Methods = dict[str, list[tuple[type, FunctionType]]]


def forgotten(spec: Spec, mentioned: Collection[str]) -> Iterator[EverystateError]:
    """E133 for each, where what is executed mentions some names.

    Nobody calls it here nor, where it is of a mixin, in another class of its module that has it.
    """
    methods = _methods(type(spec))
    known = {"variables", *spec._declared, *(name for name in methods if name.startswith("__"))}
    called = _closure(methods, known.union(mentioned))
    found = {name: told for name, told in methods.items() if name not in called and _acts(spec, methods, name)}
    callers = {name: _names(methods[name]) - {name} for name in methods.keys() - called}
    first = [n for n in found if not any(n in names for other, names in callers.items() if other != n)] or [*found]
    for name in first:
        versions = [(cls, f) for cls, f in methods[name] if issubclass(cls, Spec) or not _shared(name, f)]
        for _, function in versions[:1]:
            facts = {"meant": "an action", "remedy": "write @action above it, call it, or remove it"}
            place = bytecode.place(function.__code__, function.__code__.co_firstlineno)
            yield EverystateError("E133", place, spec=type(spec).__name__, name=name, **facts)


def _methods(cls: type) -> Methods:
    """The functions that an author has written under each name of a class, its own first."""
    found: Methods = {}
    for base in filter(user_class, mro_of(cls)):
        for name, value in vars_of(base).items():
            function = function_of(value)
            if type(function) is FunctionType:
                found.setdefault(name, []).append((base, function))
    return found


def _closure(methods: Methods, names: Collection[str]) -> set[str]:
    """Some names, with all that the methods mention which have such a name."""
    todo, found = [*names], {*names}
    while todo:
        for name in _names(methods.get(todo.pop(), [])) - found:
            found.add(name)
            todo.append(name)
    return found


def _names(versions: list[tuple[type, FunctionType]]) -> set[str]:
    """What some methods mention, as text where they ask for attributes by texts."""
    codes = (code for _, method in versions for function in _below(method) for code in all_codes(function.__code__))
    return {name for code in codes for name in (*code.co_names, *_texts(code))}


def _texts(code: CodeType) -> Collection[str]:
    return bytecode.texts(code) if bytecode.asks_by_text(code) else ()


def _below(function: FunctionType) -> Iterator[FunctionType]:
    """A function, and those that it holds, as one does that a decorator made."""
    todo, seen = [function], set[int]()
    while todo:
        value = todo.pop()
        if id(value) not in seen and not beside(value.__code__, value.__globals__):
            seen.add(id(value))
            yield value
            held = (*map(contents, value.__closure__ or ()), *(value.__defaults__ or ()))
            todo += [inner for inner in held if type(inner) is FunctionType]


def _acts(spec: Spec, methods: Methods, name: str) -> bool:
    """Whether a method requires something or changes the state, itself or by others that it calls."""
    todo, seen = [function for _, function in methods[name]], set[int]()
    while todo:
        for function in _below(todo.pop()):
            if id(function) not in seen:
                seen.add(id(function))
                if _changes(spec, function):
                    return True
                todo += [f for n in _asked_of_self(function) & methods.keys() for _, f in methods[n]]
                named = (function.__globals__.get(n) for n in bytecode.all_names(function.__code__))
                todo += [f for f in named if type(f) is FunctionType]
    return False


def _asked_of_self(function: FunctionType) -> set[str]:
    """The attributes that a method may ask of its first parameter, of a class or of super(), and of no other object."""
    code, found = function.__code__, set[str]()
    me = code.co_varnames[0] if code.co_argcount else ""
    for inner in all_codes(code):
        found |= {*_texts(inner)}
        for before, step in itertools.pairwise(bytecode.steps_of(inner)):
            own = before.argval == me if before.opname in ("LOAD_FAST", "LOAD_DEREF") else before.opname in _GIVING
            if step.opname == "LOAD_SUPER_ATTR" or (step.opname in ("LOAD_ATTR", "LOAD_METHOD") and own):
                found.add(str(step.argval))
    return found


def _changes(spec: Spec, function: FunctionType) -> bool:
    """Whether a function requires or chooses, or changes a variable of what it is given first."""
    code, names = function.__code__, function.__globals__
    me = code.co_varnames[0] if code.co_argcount else ""
    for inner in all_codes(code):
        if any(names.get(n) in (require, choose) for n in inner.co_names if n in ("require", "choose")):
            return True
        if "setattr" in inner.co_names and not bytecode.texts(inner).isdisjoint(spec.domains):
            return True
        if me and not spec.domains.keys().isdisjoint(inner.co_names) and _assigns(inner, me, spec.domains.keys()):
            return True
    return False


def _assigns(code: CodeType, me: str, variables: Collection[str]) -> bool:
    """Whether a code object assigns a variable of the one who is called so, or changes one in place: what it changes
    begins in the source where the variable does, or with a local name that was given it."""
    starts, steps = set[tuple[int, int]](), bytecode.steps_of(code)
    aliases, assigned = set[str](), False
    for before, step in itertools.pairwise(steps):
        start = _start(step)
        if before.opname.startswith("LOAD") and before.argval == me and step.argval in variables:
            assigned |= step.opname in ("STORE_ATTR", "DELETE_ATTR")
            starts |= {start} if start and step.opname.startswith("LOAD") else set()
        elif step.opname.startswith("LOAD") and step.argval in aliases:
            starts |= {start} if start else set()
        elif step.opname == "STORE_FAST" and before.opname in _PARTS and _start(before) in starts:
            aliases.add(str(step.argval))
        changing = step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval in bytecode.CHANGING_METHODS
        assigned |= start in starts and (step.opname in _CHANGES or changing)
    return assigned


def _start(step: Instruction) -> tuple[int, int] | None:
    found = bytecode.range_of(step)
    return found[0] if found else None


def _shared(name: str, function: FunctionType) -> bool:
    """Whether the method of a mixin is mentioned by others, in the classes of its module that have it."""
    classes = [value for value in function.__globals__.values() if isinstance(value, type) and user_class(value)]
    having = [_methods(cls) for cls in classes]
    having = [methods for methods in having if any(f is function for _, f in methods.get(name, [])[:1])]
    others = {id(told[1]): told for methods in having for versions in methods.values() for told in versions}
    return name in _names([told for key, told in others.items() if key != id(function)])
