"""What plain Python does in a state: the side of the double check that no compiler has seen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from ...errors import CheckedError, Where, place_of, user_place
from ...language.concrete import StepFailed, attempts, evaluate
from ...language.concrete_machine import ConcreteMachine
from ...language.conditions import truth
from ...language.declarations import ActionInstance
from ...language.identity import identity
from ...language.machine import Disabled
from ...language.spec import Spec
from ...language.state import State

Cells = tuple[int, ...]


@dataclass
class Found:
    """Successors by the name of the action, the steps that fail, and how many attempts each guard has stopped."""

    after: dict[str, list[Cells]] = field(default_factory=lambda: defaultdict(list))
    scripts: dict[tuple[str, Cells], tuple[ActionInstance, tuple[Any, ...]]] = field(default_factory=dict)
    failing: list[StepFailed] = field(default_factory=list)
    stopped: Counter[tuple[str, Where | None]] = field(default_factory=Counter)


def steps(spec: Spec, state: State, called: Callable[[int, ActionInstance], str], idle: Collection[str]) -> Found:
    """All steps of a state by what an action is called; guards are noted for actions of some names."""
    found = Found()
    for number, instance in enumerate(spec.instances):
        name = called(number, instance)
        for step in attempts(spec, state, instance, _noting(found, name) if name in idle else None):
            if isinstance(step, StepFailed):
                found.failing.append(step)
            else:
                found.after[name].append(step.state.cells)
                found.scripts.setdefault((name, step.state.cells), (instance, step.choices))
    return found


def _noting(found: Found, name: str) -> Callable[[Disabled], None]:
    def stopped(out: Disabled) -> None:
        if out.by == Disabled.GUARD:
            found.stopped[name, place_of(out.__traceback__)] += 1

    return stopped


class Noting(ConcreteMachine):
    """Notes the places at which the left side of an implication is true."""

    def __init__(self) -> None:
        super().__init__()
        self.lefts: set[Where | None] = set()

    def implies(self, left: Any, right: Any) -> Any:
        held = truth(left() if callable(left) else left)
        if held:
            self.lefts.add(user_place())
        return super().implies(held, right)


def value(
    spec: Spec, name: str, state: State, before: State | None = None, machine: ConcreteMachine | None = None
) -> bool | None:
    """The truth of a property; None where it fails."""
    try:
        return bool(evaluate(spec, name, state, before, machine).value)
    except CheckedError:
        return None


def view(spec: Spec, name: str, state: State) -> Any:
    """What a view identifies a state by; None where it fails."""
    try:
        return identity(evaluate(spec, name, state).value, name, None)
    except CheckedError:
        return None
