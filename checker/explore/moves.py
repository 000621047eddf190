"""What a state offers: the steps that are enabled, what each would change and say, and what stops the others."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from ..language.concrete import Step, StepFailed, attempts, label
from ..language.concrete_machine import NarratedRun
from ..language.declarations import ActionInstance
from ..language.machine import Disabled
from ..language.spec import Spec
from ..language.state import State
from ..results.changes import changes
from ..results.plain import trees_of
from ..results.text import narrated
from .guards import Guard, guard_of

Key = tuple[int, int]
"""A step of a state: the number of its action instance, and which of the attempts of that it is."""


@dataclass(frozen=True)
class Move:
    """A step that can be taken; `error` says why it fails where it does."""

    key: Key
    action: str
    label: str
    changes: tuple[str, ...]
    said: tuple[str, ...]
    state: State | None
    error: str = ""


@dataclass(frozen=True)
class Blocked:
    """Instances of an action that one line stops."""

    action: str
    instances: tuple[str, ...]
    guard: Guard


@dataclass(frozen=True)
class Moves:
    """The steps of a state in the order of the spec, and the actions that have none."""

    enabled: tuple[Move, ...]
    blocked: tuple[Blocked, ...]

    @property
    def taken(self) -> list[Move]:
        """Those that lead to a state."""
        return [move for move in self.enabled if move.state is not None]


def moves(spec: Spec, state: State) -> Moves:
    """What a state offers."""
    enabled: list[Move] = []
    blocked: dict[tuple[str, Guard], list[str]] = {}
    before = trees_of(state)
    for number, instance in enumerate(spec.instances):
        guards: list[Guard] = []
        found = list(attempts(spec, state, instance, functools.partial(_note, guards), NarratedRun))
        for at, step in enumerate(found):
            if isinstance(step, StepFailed):
                enabled.append(_failing((number, at), step))
                continue
            words = tuple(str(change) for change in changes(before, trees_of(step.state)))
            said = tuple(narrated(event).strip('"') for event in step.narration)
            enabled.append(Move((number, at), instance.name, step.label, words, said, step.state))
        if not found:
            for guard in dict.fromkeys(guards or [_bounded(spec)]):
                blocked.setdefault((instance.name, guard), []).append(str(instance))
    return Moves(tuple(enabled), tuple(Blocked(name, tuple(who), guard) for (name, guard), who in blocked.items()))


def _note(guards: list[Guard], out: Disabled) -> None:
    guards.append(guard_of(out))


def _failing(key: Key, step: StepFailed) -> Move:
    return Move(key, step.action.name, label(step.action, step.choices), (), (), None, step.error.what)


def _bounded(spec: Spec) -> Guard:
    """Of an instance all of whose steps an action constraint forbids."""
    return Guard("", f"the action constraint {' or '.join(spec._step_bounds)} allows none of its steps")


def step_at(spec: Spec, state: State, key: Key) -> Step | None:
    """The step of a key; None where there is none, or it fails. Only one instance is executed."""
    number, wanted = key
    if number >= len(spec.instances):
        return None
    for at, step in enumerate(attempts(spec, state, spec.instances[number], kind=NarratedRun)):
        if at == wanted:
            return None if isinstance(step, StepFailed) else step
    return None


def steps_named(spec: Spec, state: State, name: str, arguments: dict[str, object]) -> Iterator[tuple[Key, Step]]:
    """The steps of the instance with some name and arguments, with their keys."""
    for number, instance in enumerate(spec.instances):
        if instance.name == name and _same(instance, arguments):
            for at, step in enumerate(attempts(spec, state, instance, kind=NarratedRun)):
                if not isinstance(step, StepFailed):
                    yield (number, at), step


def _same(instance: ActionInstance, arguments: dict[str, object]) -> bool:
    return [(n, str(v)) for n, v in instance.arguments] == [(n, str(v)) for n, v in arguments.items()]
