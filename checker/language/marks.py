"""The decorators that tell the checker what a method of a spec is, and Constant."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
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
CONSTRAINT = "constraint"
ACTION_CONSTRAINT = "action constraint"
VIEW = "view"
REFINEMENT = "refinement"
ASSUMPTION = "assumption"
INITIAL = "initial"
LEMMA = "lemma"
DISPLAY = "display"

LIVENESS = (EVENTUALLY, LEADS_TO, EVENTUALLY_ALWAYS, INFINITELY_OFTEN, TEMPORAL_FORMULA)
"""What comes true on every fair behaviour."""
TEMPORAL = (*LIVENESS, ALWAYS_REACHABLE)
"""What is judged on the graph of all steps, when a search has ended."""
OF_STEPS = (EVENTUALLY, EVENTUALLY_ALWAYS, INFINITELY_OFTEN)
"""Temporal properties that may be about steps: `def name(self, before)`."""
SAFETY = (INVARIANT, STEP_INVARIANT)
EVALUATED = (*SAFETY, REACHABLE, CONSTRAINT, ACTION_CONSTRAINT, VIEW, *TEMPORAL)
"""What a check evaluates in every state, or at every step: where that cannot be done it is a violation."""
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
    """That an action is not neglected: each of its instances by itself, or `together` with others.

    All instances of all actions with one name in `together` are one disjunction; those whose parameters `each` have
    different values are different ones.
    """

    strength: str
    together: str = ""
    each: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{FAIR[self.strength]} together with {self.together!r}" if self.together else FAIR[self.strength]


def mark_of(function: Any) -> Mark | None:
    """The mark that a function carries itself."""
    found: Mark | None = getattr(function, "__everystate__", None)
    return found


def fairness_of(function: Any) -> tuple[Fairness, ...]:
    """The fairness that a function carries itself."""
    found: tuple[Fairness, ...] = getattr(function, "__fairness__", ())
    return found


class Decorator(Protocol):
    """A mark without arguments; `@mark()` is `@mark`."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self) -> Callable[[F], F]: ...


def _marking(kind: str) -> Decorator:
    def decorate(*methods: Any) -> Any:
        return _mark(methods[0], kind) if methods else lambda method: _mark(method, kind)

    return decorate


class Ranging(Protocol):
    """A mark whose method may have parameters: `@mark`, `@mark()` or `@mark(node="nodes")`."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self, **parameters: Any) -> Callable[[F], F]: ...


def _ranging(kind: str) -> Ranging:
    def decorate(*methods: Any, **parameters: Any) -> Any:
        return _mark(methods[0], kind, parameters) if methods else lambda method: _mark(method, kind, parameters)

    return decorate


class Asking(Protocol):
    """A mark that may depend on the constants: `@mark`, `@mark()`, or `@mark(when="constant")`."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self, *, when: str | Callable[[Any], object] = ...) -> Callable[[F], F]: ...


class Fair(Protocol):
    """Fairness of an action: `@fair`, or `@fair(together="name", each="parameter")`."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self, *, together: str = "", each: str | tuple[str, ...] = ()) -> Callable[[F], F]: ...


def _fair(strength: str) -> Fair:
    def decorate(*methods: Any, together: Any = "", each: Any = ()) -> Any:
        found = Fairness(strength, together, (each,) if isinstance(each, str) else each)
        return _make_fair(methods[0], found) if methods else lambda method: _make_fair(method, found)

    return decorate


action = _ranging(ACTION)
"""A step of the system: one atomic change of the state, enabled where its require(...) hold.

Each parameter ranges over what the decorator names for it: a domain, an iterable, the name of a constant
(an integer n means range(n)), or a function of the spec: @action(node="nodes"), @action(n=range(3)),
@action(to=lambda self: range(self.nodes)).
"""

invariant = _marking(INVARIANT)
"""A condition that holds in every reachable state."""

step_invariant = _marking(STEP_INVARIANT)
"""A condition on every step: `def name(self, before)`, where self is the state after it."""


def _asking(kind: str) -> Asking:
    def decorate(*methods: Any, when: Any = None) -> Any:
        parameters = {} if when is None else {"when": when}
        return _mark(methods[0], kind, parameters) if methods else lambda method: _mark(method, kind, parameters)

    return decorate


reachable = _asking(REACHABLE)
"""A condition that holds in at least one reachable state; fails when the whole space has none.

`@reachable(when="faults")` is asked only where a constant, or a function of the spec, is true; elsewhere it is no
property of the spec."""


class Eventually(Ranging, Protocol):
    """`eventually` is a mark, and a part of the formula of a @temporal method."""

    @overload
    def __call__(self, method: F, /) -> F: ...

    @overload
    def __call__(self, what: bool | Formula, /) -> Formula: ...

    @overload
    def __call__(self, **parameters: Any) -> Callable[[F], F]: ...


def _eventually(*methods: Any, **parameters: Any) -> Any:
    if len(methods) == 1 and not callable(methods[0]):
        return Formula(SOMETIME, methods)
    return _ranging(EVENTUALLY)(*methods, **parameters)


eventually: Eventually = _eventually
"""A condition that holds at some time on every fair behaviour. With parameters, as of an action, it is a property for
each of their values; with `before` it is about steps. Both are so of the other temporal properties. In the formula of a
@temporal method, `eventually(what)` holds where a condition or a formula holds now or later."""

temporal = _ranging(TEMPORAL_FORMULA)
"""A formula that holds on every fair behaviour from its first state on: conditions joined by `always`, `eventually`,
`until`, `implies`, `&`, `|` and `~`."""

leads_to = _ranging(LEADS_TO)
"""Two conditions, `return asked, answered`: on every fair behaviour, whenever the first holds, the second holds then
or later. Never about steps."""

eventually_always = _ranging(EVENTUALLY_ALWAYS)
"""A condition that holds, on every fair behaviour, from some time on for ever (stability, <>[]P)."""

infinitely_often = _ranging(INFINITELY_OFTEN)
"""A condition that holds, on every fair behaviour, again and again ([]<>P); such steps are taken again and again."""

always_reachable = _ranging(ALWAYS_REACHABLE)
"""A condition that can be reached from every reachable state (AG EF P): no step leads to where it is lost for ever. It
need not come true, and fairness does not matter."""

constraint = _marking(CONSTRAINT)
"""A bound on the exploration: states where it is false are checked, but neither counted nor expanded."""

action_constraint = _marking(ACTION_CONSTRAINT)
"""A bound on the steps: `def name(self, before)`, where self is the state after; where it is false, none is taken."""

view = _marking(VIEW)
"""What identifies a state: states with equal views are explored once (the verdict then holds up to the view)."""

assumption = _marking(ASSUMPTION)
"""A condition on the constants, evaluated before anything else (exit code 10 when false)."""

lemma = _marking(LEMMA)
"""A condition that helps an inductive proof; it is proved with the properties, or dropped."""

display = _marking(DISPLAY)
"""Tables for the reader of a state: {"log": [{"offset": 0, "batch": "b0"}, ...]}; tables may stand in groups.

A dictionary in place of a list groups tables: {"broker 0": {"log": [...]}}. Never compiled, so plain Python.
"""

initial = _marking(INITIAL)
"""Completes the initial states: runs like an action (require, choose) on every declared combination of init=."""


def refines(abstract: type, **constants: Any) -> Callable[[F], F]:
    """The mapping from the states of this spec to those of another one, which it implements.

    The method returns a value for each variable of `abstract`: {"name": value}. Every initial state must map to an
    initial state of it, and every step to one of its steps, or to none where it maps to the same state. That is safety;
    what is fair there is not asked. Constants of the same name are passed on; others may be given, as values or
    as functions of the spec.
    """
    return lambda method: _mark(method, REFINEMENT, {"abstract": abstract, "constants": constants})


fair = _fair(WEAK)
"""Weak fairness of an action, for each of its instances: it cannot be enabled for ever and never be taken.

@fair(together="name") on several actions is fairness of their disjunction: it cannot be that one or the other of them
is enabled at all times, and none is ever taken. With each="n" there is such a disjunction for each value of n."""

strongly_fair = _fair(STRONG)
"""Strong fairness of an action, for each of its instances, or `together` with others: it cannot be enabled again and
again and never be taken."""


def _mark(method: Any, kind: str, parameters: dict[str, Any] | None = None) -> Any:
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
    return None


class Constants(dict[str, Any]):
    """The values of all constants of a spec; `changed` names those that differ from their defaults."""

    def __init__(self, values: Mapping[str, Any], changed: Sequence[str]) -> None:
        super().__init__(values)
        self.changed = changed


class Constant(Generic[T]):
    """A constant of a spec with its default value and one line that explains it: goal = Constant(4, "gallons")."""

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
