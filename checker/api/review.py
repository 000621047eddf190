"""Compares a variant of a spec with the spec itself: properties, lengths, actions, and the first steps that changed.

A variant is a subclass that overrides some methods. Both are checked exhaustively. The steps are compared in plain
Python, in states that the unchanged spec reaches first, so the shortest way to each changed step is among them. Which
statements of the variant are executed is noted there and in the cross-check, which executes every path that states take
as far as its number of states allows. A part of the change that no compared state executes was not looked at.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from types import FunctionType
from typing import Any

from ..engines.explicit import exhaustive
from ..engines.limits import Limits
from ..engines.observer import Observer, Silent
from ..frontend import model
from ..language import marks
from ..language.concrete import StepFailed, attempts
from ..language.declarations import ActionInstance
from ..language.methods import function_of
from ..language.spec import Spec
from ..language.state import State
from ..results.result import Result
from ..results.trace import Trace
from ..results.verdict import Verdict
from .executed_lines import ExecutedLines, Statement

STATES = 100
"""Steps are compared in so many states, breadth first."""
EXECUTED = 1000
"""States of the variant that are cross-checked: a number, so that what is executed does not depend on time."""


@dataclass(frozen=True)
class ChangedProperty:
    """A property whose outcome differs: the length of its shortest counterexample, None where it holds."""

    name: str
    before: int | None
    after: int | None


@dataclass(frozen=True)
class ChangedStep:
    """The first state in which an action has other outcomes: the steps that lead there, and the variables that differ.

    `values` maps each variable to its text after the step without and with the change; empty where the action is
    enabled on one side only, which `enabled` says: (before, after).
    """

    action: str
    path: tuple[str, ...]
    enabled: tuple[bool, bool]
    values: dict[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class WaitingAction:
    """A fair action without instances, and the values that overridden methods and it have in common.

    Fair actions are those that a behaviour goes on by: where one is missing, a state may be a dead end unnoticed.
    """

    action: str
    values: tuple[str, ...]
    methods: tuple[str, ...]


@dataclass(frozen=True)
class Review:
    """What a change does to one target."""

    target: str
    before: Result
    after: Result
    properties: tuple[ChangedProperty, ...]
    lost: tuple[str, ...]
    never: tuple[str, ...]
    waiting: tuple[WaitingAction, ...]
    steps: tuple[ChangedStep, ...]
    idle: tuple[Statement, ...]
    """The parts of the variant of which no effect was seen: statements that no compared state executes; `variables` and
    attributes, where the numbers of states and steps, the properties and the compared steps are as before."""

    @property
    def is_decided(self) -> bool:
        """Whether both searches saw all states."""
        return Verdict.UNDECIDED not in (self.before.verdict, self.after.verdict) and not (
            self.before.stopped or self.after.stopped
        )


def overridden(variant: type[Spec], base: type[Spec]) -> dict[str, FunctionType]:
    """The functions that a variant defines itself, by name."""
    found = {name: function_of(value) for name, value in _own(variant, base).items()}
    return {name: function for name, function in found.items() if isinstance(function, FunctionType)}


def assigned(variant: type[Spec], base: type[Spec]) -> list[str]:
    """The other attributes that a variant defines itself: constants, for example."""
    return [name for name in sorted(_own(variant, base).keys() - overridden(variant, base)) if name[0] != "_"]


def _own(variant: type[Spec], base: type[Spec]) -> dict[str, Any]:
    """The attributes of the classes between a model and its variant, and of the variant."""
    found: dict[str, Any] = {}
    for each in reversed(variant.__mro__):
        if each is not base and not issubclass(base, each):
            found |= vars(each)
    return found


def review(
    base: Spec, variant: Spec, target: str, limits: Limits | None = None, observer: Observer | None = None
) -> Review:
    """Check both, and compare them."""
    executed, given = ExecutedLines(overridden(type(variant), type(base))), limits or Limits()
    before = exhaustive.check(model.build(base), given, observer or Silent(), target)
    built = model.build(variant)
    with executed.watching():
        type(variant)(**variant.constants)  # its variables
    executed.watch(variant)
    number = EXECUTED if given.cross_check is None else given.cross_check
    after = exhaustive.check(built, replace(given, cross_check=number), observer or Silent(), target)
    lengths = [{found.property: found.length for found in result.violations} for result in (before, after)]
    properties = tuple(
        ChangedProperty(name, lengths[0].get(name), lengths[1].get(name))
        for name in dict.fromkeys((*lengths[0], *lengths[1]))
        if lengths[0].get(name) != lengths[1].get(name)
    )
    changed = {each.name for each in properties}
    names = [dict.fromkeys(instance.name for instance in spec.instances) for spec in (base, variant)]
    steps = tuple(_changed_steps(base, variant, [each.trace for each in after.violations if each.property in changed]))
    sizes = {(result.distinct, result.generated) for result in (before, after)}
    declared = [] if properties or steps or len(sizes) > 1 else _declared(type(variant), type(base))
    return Review(
        target,
        before,
        after,
        properties,
        tuple(name for name in names[0] if name not in names[1]),
        tuple(_never(after) - _never(before)),
        tuple(_waiting(variant, type(base))),
        steps,
        (*executed.missing(), *(Statement(name, 0) for name in declared)),
    )


def _declared(variant: type[Spec], base: type[Spec]) -> list[str]:
    """What a variant declares anew: the state, and constants."""
    return [name for name in overridden(variant, base) if name == "variables"] + assigned(variant, base)


def _never(result: Result) -> set[str]:
    """The actions that were never enabled."""
    return {name for name, coverage in result.coverage.items() if not coverage.taken}


# -- actions that a change needs and that have no instance ------------------------------------------------------


def _waiting(variant: Spec, base: type[Spec]) -> Iterator[WaitingAction]:
    """The fair actions without instances that mention a value which overridden methods mention, too."""
    mentioned = {name: _texts(function) for name, function in overridden(type(variant), base).items()}
    for action in variant._empty(marks.ACTION):
        method = getattr(type(variant), action)
        wanted = _texts(inspect.unwrap(method)) if marks.fairness_of(method) else set()
        methods = tuple(name for name, texts in mentioned.items() if texts & wanted)
        if methods:
            values = sorted(set.union(*(mentioned[name] & wanted for name in methods)))
            yield WaitingAction(action, tuple(values), methods)


def _texts(function: Any) -> set[str]:
    """The names of the module's constants that a function mentions, as far as they are texts."""
    code = getattr(function, "__code__", None)
    names = code.co_names if code is not None else ()
    return {name for name in names if isinstance(function.__globals__.get(name), str) and name.isupper()}


# -- steps -------------------------------------------------------------------------------------------------------


def _changed_steps(base: Spec, variant: Spec, traces: Iterable[Trace | None]) -> Iterator[ChangedStep]:
    """The first change of each action, breadth first from the initial states, and then along counterexamples."""
    theirs = {(each.name, each.arguments): each for each in variant.instances}
    instances = [each for each in base.instances if (each.name, each.arguments) in theirs]
    told: set[str] = set()
    for state, path, successors in chain(_first_states(base, instances), *(_along(base, trace) for trace in traces)):
        for instance in instances:
            if instance.name not in told:
                own = successors.get(instance) or list(_outcomes(base, state, instance))
                other = list(_outcomes(variant, _as_of(variant, state), theirs[instance.name, instance.arguments]))
                if _alike(own) != _alike(other):
                    told.add(instance.name)
                    yield _change(instance, path, own, other)


Place = tuple[State, tuple[str, ...], dict[ActionInstance, list[State]]]
"""A state, the steps that lead there, and successors that are known already."""


def _first_states(base: Spec, instances: list[ActionInstance]) -> Iterator[Place]:
    """The states that the unchanged spec reaches first."""
    queue: deque[tuple[State, tuple[str, ...]]] = deque((state, ()) for state in base.initial_states())
    seen = {state for state, _ in queue}
    for _ in range(STATES):
        if not queue:
            return
        state, path = queue.popleft()
        successors = {instance: list(_outcomes(base, state, instance)) for instance in instances}
        yield state, path, successors
        for instance, states in successors.items():
            for after in states:
                if after not in seen:
                    seen.add(after)
                    queue.append((after, (*path, str(instance))))


def _along(base: Spec, trace: Trace | None) -> Iterator[Place]:
    """The states of a counterexample."""
    if trace is not None:
        labels = tuple(step.label for step in trace.steps)
        for number, state in enumerate((trace.initial, *(step.state for step in trace.steps))):
            yield _as_of(base, state), labels[:number], {}


def _outcomes(spec: Spec, state: State, instance: ActionInstance) -> Iterator[State]:
    for step in attempts(spec, state, instance):
        if not isinstance(step, StepFailed):
            yield step.state


def _as_of(spec: Spec, state: State) -> State:
    """A state of one of the specs for the other one, whose further variables have their first values."""
    if state.domains is spec.domains:
        return state
    known = {name: value for name, value in state.values().items() if name in spec.domains}
    return State.of(spec, {**spec.initial_states()[0].values(), **known})


def _alike(outcomes: list[State]) -> list[str]:
    """Outcomes as texts, so that those of two specs can be compared."""
    return sorted({str(sorted(state.shown().items())) for state in outcomes})


def _change(instance: ActionInstance, path: tuple[str, ...], own: list[State], other: list[State]) -> ChangedStep:
    values: dict[str, tuple[str, str]] = {}
    if own and other:
        here, there = own[0].shown(), other[0].shown()
        values = {name: (here[name], there[name]) for name in here if name in there and here[name] != there[name]}
    return ChangedStep(str(instance), path, (bool(own), bool(other)), values)
