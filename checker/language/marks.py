"""Marks: what the decorators add to the methods of a spec, and what they refuse; and Constant.

`decorators` has the decorators that an author writes.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from types import FunctionType, MappingProxyType
from typing import Any, Generic, Protocol, TypeVar, overload

from ..errors import EverystateError, user_place
from .formulas import EVENTUALLY as SOMETIME
from .formulas import Formula
from .machine import is_executing
from .methods import function_of

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

ACTION = "action"
INVARIANT = "invariant"
STEP_INVARIANT = "step invariant"
REACHABLE = "reachable"
EVENTUALLY = "eventually"
LEADS_TO = "leads to"
EVENTUALLY_ALWAYS = "eventually always"
INFINITELY_OFTEN = "infinitely often"
ALWAYS_REACHABLE = "always reachable"
TEMPORAL_FORMULA = "temporal"
TEMPORAL_ASSUMPTION = "temporal assumption"
CONSTRAINT = "constraint"
ACTION_CONSTRAINT = "action constraint"
VIEW = "view"
REFINEMENT = "refinement"
ASSUMPTION = "assumption"
INITIAL = "initial"
LEMMA = "lemma"
DISPLAY = "display"

LIVENESS = (EVENTUALLY, LEADS_TO, EVENTUALLY_ALWAYS, INFINITELY_OFTEN, TEMPORAL_FORMULA)
"""Liveness properties."""
TEMPORAL = (*LIVENESS, ALWAYS_REACHABLE)
"""Properties that are checked on the graph of all steps, after a search."""
ON_GRAPHS = (*TEMPORAL, TEMPORAL_ASSUMPTION)
"""What is evaluated on the graph of all steps: these properties, and what is assumed of behaviours."""
OF_FORMULAS = (TEMPORAL_FORMULA, TEMPORAL_ASSUMPTION)
"""The methods that return a formula."""
OF_STEPS = (EVENTUALLY, EVENTUALLY_ALWAYS, INFINITELY_OFTEN, *OF_FORMULAS)
"""Temporal properties and assumptions that may be about steps: `def name(self, before)`."""
SAFETY = (INVARIANT, STEP_INVARIANT)
EVALUATED = (*SAFETY, REACHABLE, CONSTRAINT, ACTION_CONSTRAINT, VIEW, *ON_GRAPHS)
"""What a check evaluates in every state, or at every step: a failing evaluation is a violation."""
WEAK, STRONG = "weak", "strong"
FAIR = {WEAK: "fair", STRONG: "strongly fair"}

MARKED = "__everystate_marked__"
"""Where a class body keeps every function that was marked in it, so that none gets lost."""


@dataclass(frozen=True)
class Mark:
    """What a decorated method is: its kind, and for actions and temporal properties what each parameter ranges over."""

    kind: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fairness:
    """Fairness of an action: each of its instances by itself, or `together` with others.

    All instances of all actions with one name in `together` are one disjunction, those of one action without a name;
    different values of the parameters `each` give different disjunctions.
    """

    strength: str
    together: str = ""
    each: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{FAIR[self.strength]} together with {self.together!r}" if self.together else FAIR[self.strength]


def mark_of(function: Any) -> Mark | None:
    """The mark of a function itself."""
    found: Mark | None = getattr(function, "__everystate__", None)
    return found


def fairness_of(function: Any) -> tuple[Fairness, ...]:
    """The fairness of a function itself."""
    found: tuple[Fairness, ...] = getattr(function, "__fairness__", ())
    return found


Stub = Callable[..., Any]
"""A function without a body: the name, the signature and the text of a decorator, as help() shows them."""


def _decorator(stub: Stub, leave: Callable[..., Any]) -> Any:
    """The effect of `leave` on a method as `@name`, `@name()` or `@name(given=...)`."""

    @wraps(stub)
    def decorate(*methods: Any, **given: Any) -> Any:
        return leave(*methods, **given) if methods else lambda method: leave(method, **given)

    return decorate


class Plain(Protocol):
    """A mark without arguments; `@mark()` is `@mark`."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self) -> Callable[[F], F]: ...


def plain(kind: str) -> Callable[[Stub], Plain]:
    """A mark without arguments."""
    return lambda stub: _decorator(stub, lambda method, /: mark(method, kind))


class ParameterMark(Protocol):
    """A mark whose method may have parameters: `@mark`, `@mark()` or `@mark(node="nodes")`."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self, **parameters: Any) -> Callable[[F], F]: ...


def ranging(kind: str) -> Callable[[Stub], ParameterMark]:
    """A mark that says what the parameters of its method range over."""
    return lambda stub: _decorator(stub, lambda method, /, **given: mark(method, kind, given))


class ConditionalMark(Protocol):
    """A mark that may depend on the constants: `@mark`, `@mark()`, or `@mark(when="constant")`."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self, *, when: str | Callable[[Any], object] = ...) -> Callable[[F], F]: ...


def asking(kind: str) -> Callable[[Stub], ConditionalMark]:
    """A mark with an optional condition on the constants."""

    def leave(method: Any, /, when: Any = None) -> Any:
        return mark(method, kind, {} if when is None else {"when": when})

    return lambda stub: _decorator(stub, leave)


class Fair(Protocol):
    """Fairness of an action: `@fair`, `@fair(each="parameter")`, or `@fair(together="name", each="parameter")`."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self, *, together: str = "", each: str | tuple[str, ...] = ()) -> Callable[[F], F]: ...


def fairly(strength: str) -> Callable[[Stub], Fair]:
    """Fairness of a strength."""

    def leave(method: Any, /, together: Any = "", each: Any = ()) -> Any:
        return _make_fair(method, Fairness(strength, together, (each,) if isinstance(each, str) else each))

    return lambda stub: _decorator(stub, leave)


class Eventually(ParameterMark, Protocol):
    """`eventually` is a mark, and a part of the formula of a @temporal method."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self, what: bool | Formula, /) -> Formula: ...

    @overload
    def __call__(self, **parameters: Any) -> Callable[[F], F]: ...


def mark_or_formula(stub: Stub) -> Eventually:
    """`eventually`: a mark on a method, a formula of anything else."""

    def leave(what: Any, /, **given: Any) -> Any:
        return mark(what, EVENTUALLY, given) if callable(what) else Formula(SOMETIME, (what,))

    found: Eventually = _decorator(stub, leave)
    return found


def mark(method: Any, kind: str, parameters: dict[str, Any] | None = None) -> Any:
    _check(method, kind)
    known = mark_of(method)
    if known is not None:
        raise _twice(method, known.kind, kind)
    method.__everystate__ = Mark(kind, parameters or {})
    return method


def _make_fair(method: Any, fairness: Fairness) -> Any:
    _check(method, FAIR[fairness.strength])
    for known in fairness_of(method):
        if known.together == fairness.together:
            raise _twice(method, str(known), str(fairness))
    method.__fairness__ = (*fairness_of(method), fairness)
    return method


def _check(method: Any, kind: str) -> None:
    """Only plain functions are marked, in a class body or before; a class body keeps what was marked in it."""
    name = getattr(function_of(method), "__qualname__", type(method).__name__)
    wrong = flaw(method)
    if wrong is not None:
        raise EverystateError("E125", user_place(), name=name, kind=kind, what=wrong[0], remedy=wrong[1])
    if is_executing():
        raise EverystateError("E130", user_place(), name=name, kind=kind, place="in a method that is being executed")
    body = _class_body()
    if body is not None:
        body.setdefault(MARKED, []).append(method)


def _twice(method: Any, first: str, second: str) -> EverystateError:
    return EverystateError("E129", user_place(), name=method.__qualname__, first=first, second=second)


def _class_body() -> dict[str, Any] | None:
    """The names of the class whose body marks something at the moment."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame = frame.f_back
    names: Any = frame.f_locals
    return names if "__qualname__" in names and "__module__" in names else None


def flaw(method: Any) -> tuple[str, str] | None:
    """(why something cannot be a marked method, what to do); None when it can."""
    if isinstance(method, (staticmethod, classmethod)):
        word = "static" if isinstance(method, staticmethod) else "class"
        return f"a {word} method", f"remove @{word}method: it is about a state, which is self"
    if isinstance(method, property) or type(method).__name__ == "cached_property":
        return "a property of Python", f"remove @{type(method).__name__}: the checker calls it"
    if not isinstance(method, FunctionType):
        kind = "a class" if isinstance(method, type) else f"a value of type {type(method).__name__}"
        return "None" if method is None else kind, "make it a method: `def name(self)`"
    if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
        return "a coroutine (`async def`)", "write `def` instead of `async def`"
    if inspect.isgeneratorfunction(method):
        return "a generator (there is a `yield` in it)", "remove the `yield`; choose(...) is how an action branches"
    code = method.__code__
    if not code.co_argcount and not code.co_flags & inspect.CO_VARARGS:
        return "a method without the parameter self", f"write `def {method.__name__}(self)`: the state is read from it"
    return None


class Constants(dict[str, Any]):
    """The values of all constants of a spec; `changed` names those that differ from their defaults, `texts` has the
    authors' sentences on those that have one."""

    def __init__(
        self, values: Mapping[str, Any], changed: Sequence[str], texts: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__(values)
        self.changed, self.texts = changed, dict(texts)


class Constant(Generic[T]):
    """A constant of a spec: its default value, and one line that explains it.

    An attribute of the class, read as `self.goal`. `Jugs(goal=5)` and `-c goal=5` give it another value, of the type of
    the default (E108): a whole number, a boolean, a string or a tuple.

        goal = Constant(4, "gallons to measure")

        @action
        def measure(self) -> None:
            require(self.count < self.goal)
    """

    def __init__(self, default: T, text: str = "") -> None:
        self.default, self.text = default, text
        self.name = ""

    def __repr__(self) -> str:
        return f"Constant({self.default!r})"

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Constant[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Constant[T] | T:
        if instance is None:
            return self
        value: T = instance.__dict__["_constants"][self.name]
        return value
