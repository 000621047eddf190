"""What a class declares with marks and constants, including its bases; nothing may get lost silently.

In Python the last definition of a name wins, and the decorators of earlier ones are dropped. Here a second definition
in one class body is an error (E126). A method that overrides a marked one inherits the mark with all that belongs to
it. A mark on something that is no method of a spec, or that no method overrides, is an error.
"""

from __future__ import annotations

import inspect
import re
import sys
from abc import ABCMeta
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ..errors import EverystateError, Where, describe
from .annotations import signature_of
from .domains import Domain, shown
from .marks import MARKED, Constant, Fairness, Mark, fairness_of, flaw, mark_of
from .methods import function_of


def parameters_of(method: Callable[..., Any]) -> tuple[list[str], bool]:
    """The parameters of a method after self, and whether it takes any others by name.

    A decorator of one's own may hand on whatever it gets: def wrapper(*args, **kwargs).
    """
    if type(method) is FunctionType and not vars(method).keys() & _SIGNED:
        code, flags = method.__code__, method.__code__.co_flags
        named = list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        anything = bool(flags & inspect.CO_VARARGS) and not code.co_argcount
        return named if anything else named[1:], bool(flags & inspect.CO_VARKEYWORDS)
    found = list(signature_of(method).parameters.values())
    named = [p.name for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    with_self = named if found and found[0].kind == found[0].VAR_POSITIONAL else named[1:]
    return with_self, any(p.kind == p.VAR_KEYWORD for p in found)


_SIGNED = {"__wrapped__", "__signature__", "_partialmethod", "__partialmethod__"}
"""The attribute of a function for a signature that differs from its code."""


def takes_anything(method: Callable[..., Any]) -> bool:
    """Whether a method passes on all its arguments: def wrapper(*args)."""
    return any(p.kind == p.VAR_POSITIONAL for p in signature_of(method).parameters.values())


@dataclass(frozen=True)
class Declared:
    """A marked method: its mark, fairness and sentence, own or inherited."""

    name: str
    method: Callable[..., Any]
    mark: Mark
    fairness: tuple[Fairness, ...]
    text: str


class Body(dict[str, Any]):
    """The names of a class body while Python executes it, and those that were lost because a name was used again."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}
        self.lost: list[tuple[str, Any, int, Where]] = []

    def __setitem__(self, name: str, value: Any) -> None:
        frame = sys._getframe(1)
        if name in self and self[name] is not value and _declares(self[name]) and not _lives_in(self[name], value):
            where = describe(frame.f_code.co_filename, frame.f_lineno, str(self.get("__qualname__")))
            self.lost.append((name, self[name], self.lines[name], where))
        self.lines[name] = frame.f_lineno
        super().__setitem__(name, value)

    def check(self, cls: str) -> None:
        """E126 when a definition is lost."""
        for name, old, first, where in self.lost:
            if not any(_lives_in(old, value) for value in self.values()):
                raise EverystateError("E126", where, cls=cls, name=name, first=first)


class Declaring(ABCMeta):
    """The metaclass of specs and records: records their bodies."""

    # What ABCMeta puts in place of these is several times slower, and serves virtual subclasses only.
    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    @classmethod
    def __prepare__(mcs, name: str, bases: tuple[type, ...], /, **_: Any) -> Body:
        return Body()

    def __new__(mcs, name: str, bases: tuple[type, ...], names: dict[str, Any], /, **rest: Any) -> Declaring:
        if isinstance(names, Body):
            names.check(name)
        return super().__new__(mcs, name, bases, dict(names), **rest)


def _declares(value: Any) -> bool:
    return isinstance(function_of(value), FunctionType) or isinstance(value, (Constant, Domain))


def _lives_in(old: Any, new: Any) -> bool:
    """Whether a value is, wraps or refers to another one: then a new definition does not lose the old one."""
    if new is old or getattr(old, "__qualname__", "") == "_overload_dummy":
        return True
    inner = [getattr(new, name, None) for name in ("__wrapped__", "__func__", "fget", "fset", "fdel", "func")]
    cells = getattr(new, "__closure__", None) or ()
    inner += [cell.cell_contents for cell in cells if isinstance(cell.cell_contents, FunctionType)]
    return any(part is old or (part is not None and part is getattr(old, "fget", None)) for part in inner)


def declared(cls: type) -> list[Declared]:
    """Every marked method of a class, bases first, in the order of definition."""
    names: dict[str, None] = {}
    for base in cls.__mro__[-2::-1]:  # all but object
        _check_base(base)
        names.update(dict.fromkeys(n for n, v in vars(base).items() if _carries(v)))
    return [_resolved(cls, name) for name in names]


def _carries(value: Any) -> bool:
    function = function_of(value)
    return isinstance(function, FunctionType) and bool(mark_of(function) or fairness_of(function))


def _resolved(cls: type, name: str) -> Declared:
    """What a name means in a class: the method is the last one, its mark is the first that is found from there on."""
    found = [vars(base)[name] for base in cls.__mro__ if name in vars(base)]
    functions = [function_of(value) for value in found]
    mark = next((mark for mark in map(mark_of, functions) if mark), None)
    method = found[0]
    if mark is None:
        raise EverystateError("E123", method_place(functions[0]), spec=cls.__name__, name=name, kind="nothing else")
    wrong = flaw(method)
    if wrong is not None:
        where = place_of_value(method) or class_place(cls)
        named = f"{cls.__name__}.{name}"
        raise EverystateError("E125", where, name=named, kind=mark.kind, what=wrong[0], remedy=wrong[1])
    kinds = [m.kind for m in map(mark_of, functions) if m]
    other = next((kind for kind in kinds if kind != mark.kind), None)
    if other is not None:
        raise EverystateError("E128", method_place(method), spec=cls.__name__, name=name, kind=mark.kind, base=other)
    fairness = next((f for f in map(fairness_of, functions) if f), ()) if not mark_of(method) else fairness_of(method)
    if mark.kind != "action" and fairness:
        raise EverystateError("E123", method_place(method), spec=cls.__name__, name=name, kind=mark.kind)
    return Declared(name, method, mark, fairness, next(filter(None, map(sentence, functions)), ""))


def _check_base(base: type) -> None:
    """E127 and E130 when something that was marked in a class body is no method of the class any more."""
    marked = vars(base).get(MARKED, ())
    functions = [function_of(value) for value in vars(base).values()] if marked else []
    for method in marked:
        mark = mark_of(method)
        if not any(f is method or (mark and mark_of(f) is mark) for f in functions):
            raise EverystateError("E127", method_place(method), name=method.__qualname__, kind=marked_as(method))
    for value in vars(base).values():
        nested = isinstance(value, type) and value.__qualname__.startswith(f"{base.__qualname__}.")
        if nested and not isinstance(value, Declaring):
            check_no_marks(value, f"in {value.__name__}, a class inside {base.__name__}")


def check_no_marks(cls: type, place: str) -> None:
    """E130 when something is marked in the body of a class that is never checked."""
    for method in vars(cls).get(MARKED, ()):
        kind = marked_as(method)
        raise EverystateError("E130", method_place(method), name=method.__qualname__, kind=kind, place=place)


def marked_as(method: Any) -> str:
    """The mark of a function itself, in words; empty when there is none."""
    mark = mark_of(method)
    return mark.kind if mark else " and ".join(map(str, fairness_of(method)))


def sentence(method: Any) -> str:
    """The first sentence of a docstring."""
    return " ".join((inspect.getdoc(method) or "").split("\n\n")[0].split())


def place_of_value(value: Any) -> Where | None:
    """Where the function in a value of a class is defined."""
    function = function_of(value)
    return method_place(function) if isinstance(function, FunctionType) else None


def method_place(method: Any) -> Where:
    """Where a method is defined."""
    code = method.__code__
    return describe(code.co_filename, code.co_firstlineno, code.co_name)


def class_place(cls: type) -> Where | None:
    """Where a class is defined, as far as Python knows."""
    try:
        return describe(inspect.getsourcefile(cls) or "?", inspect.findsource(cls)[1] + 1, cls.__name__)
    except (OSError, TypeError):
        return None


@dataclass(frozen=True)
class ActionInstance:
    """An action with one value for each of its parameters, as `spec.instances` lists them; it prints as up(n=1)."""

    name: str
    arguments: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{n}={shown(v)}' for n, v in self.arguments)})"


@dataclass(frozen=True)
class Property:
    """A property of a spec, as `spec.properties` lists them: its kind, its name and the author's sentence.

    A method with parameters has one property for each combination of their values: `served(client=1)`. `steps` says
    whether it also reads the state before.
    """

    kind: str
    name: str
    text: str
    arguments: tuple[tuple[str, Any], ...] = ()
    steps: bool = False


def method_name(name: str) -> str:
    """The method of a property or of an action instance: `p` of `p(c=1)`; a condition is called by its whole text."""
    return name.partition("(")[0] if _WITH_ARGUMENTS.match(name) else name


_WITH_ARGUMENTS = re.compile(r"\w+\(\w+=(?!=)")
