"""The decorators that tell the checker what a method of a spec is, and Constant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

ACTION = "action"
INVARIANT = "invariant"
STEP_INVARIANT = "step invariant"
REACHABLE = "reachable"
EVENTUALLY = "eventually"
LEADS_TO = "leads to"
CONSTRAINT = "constraint"
VIEW = "view"
ASSUMPTION = "assumption"
INITIAL = "initial"
LEMMA = "lemma"
DISPLAY = "display"

TEMPORAL = (EVENTUALLY, LEADS_TO)
WEAK, STRONG = "weak", "strong"


@dataclass(frozen=True)
class Mark:
    """What a decorated method is: its kind, and for actions what each parameter ranges over."""

    kind: str
    parameters: dict[str, Any] = field(default_factory=dict)


def _mark(method: F, kind: str, parameters: dict[str, Any] | None = None) -> F:
    method.__everystate__ = Mark(kind, parameters or {})  # type: ignore[attr-defined]
    return method


@overload
def action(method: F, /) -> F: ...


@overload
def action(**parameters: Any) -> Callable[[F], F]: ...


def action(method: Any = None, /, **parameters: Any) -> Any:
    """A step of the system: one atomic change of the state, enabled where its require(...) hold.

    Each parameter ranges over what the decorator names for it: a domain, an iterable, the name of a constant
    (an integer n means range(n)), or a function of the spec: @action(node="nodes"), @action(n=range(3)),
    @action(to=lambda self: range(self.nodes)).
    """
    if method is not None:
        return _mark(method, ACTION, parameters)
    return lambda found: _mark(found, ACTION, parameters)


def invariant(method: F) -> F:
    """A condition that holds in every reachable state."""
    return _mark(method, INVARIANT)


def step_invariant(method: F) -> F:
    """A condition on every step: `def name(self, before)`, where self is the state after it."""
    return _mark(method, STEP_INVARIANT)


def reachable(method: F) -> F:
    """A condition that holds in at least one reachable state; fails when the whole space has none."""
    return _mark(method, REACHABLE)


def eventually(method: F) -> F:
    """A condition that holds at some time on every fair behaviour."""
    return _mark(method, EVENTUALLY)


def leads_to(method: F) -> F:
    """Two conditions, `return asked, answered`: on every fair behaviour, whenever the first holds, the second holds
    then or later."""
    return _mark(method, LEADS_TO)


def fair(method: F) -> F:
    """Weak fairness of an action, for each of its instances: it cannot be enabled for ever and never be taken."""
    method.__fairness__ = WEAK  # type: ignore[attr-defined]
    return method


def strongly_fair(method: F) -> F:
    """Strong fairness of an action, for each of its instances: it cannot be enabled again and again and never be
    taken."""
    method.__fairness__ = STRONG  # type: ignore[attr-defined]
    return method


def constraint(method: F) -> F:
    """A bound on the exploration: states where it is false are checked, but neither counted nor expanded."""
    return _mark(method, CONSTRAINT)


def view(method: F) -> F:
    """What identifies a state: states with equal views are explored once (the verdict then holds up to the view)."""
    return _mark(method, VIEW)


def assumption(method: F) -> F:
    """A condition on the constants, evaluated before anything else (exit code 10 when false)."""
    return _mark(method, ASSUMPTION)


def lemma(method: F) -> F:
    """A condition that helps an inductive proof; it is proved with the properties, or dropped."""
    return _mark(method, LEMMA)


def display(method: F) -> F:
    """Tables for the reader of a state: {"log": [{"offset": 0, "batch": "b0"}, ...]}; tables may stand in groups.

    A dictionary in place of a list groups tables: {"broker 0": {"log": [...]}}. Never compiled, so plain Python.
    """
    return _mark(method, DISPLAY)


def initial(method: F) -> F:
    """Completes the initial states: runs like an action (require, choose) on every declared combination of init=."""
    return _mark(method, INITIAL)


class Constant(Generic[T]):
    """A constant of a spec with its default value and one line that explains it: goal = Constant(4, "gallons")."""

    def __init__(self, default: T, text: str = "") -> None:
        self.default, self.text = default, text
        self.name = ""

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
