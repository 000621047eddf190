"""A spec for each kind of violation that a report can have, in a state, in a step and in an initial state."""

from __future__ import annotations

from typing import Any

from everystate.checker import (
    Int,
    Spec,
    action,
    always,
    always_reachable,
    constraint,
    eventually,
    invariant,
    leads_to,
    reachable,
    refines,
    require,
    step_invariant,
    temporal,
)


class Abstract(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.x = Int(0, 3)

    @action
    def inc(self) -> None:
        require(self.x < 3)
        self.x += 1


class _Counter(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 3)

    @action
    def inc(self) -> None:
        require(self.n < 3)
        self.n += 1


class RefinedStep(_Counter):
    @refines(Abstract)
    def ref(self) -> dict[str, Any]:
        return {"x": 0 if self.n < 2 else 2}


class RefinedStart(_Counter):
    @refines(Abstract)
    def ref(self) -> dict[str, Any]:
        return {"x": 1 if self.n < 2 else 2}


class RefinedError(_Counter):
    @refines(Abstract)
    def ref(self) -> dict[str, Any]:
        return {"x": 3 // (2 - self.n)}


class RefinedErrorAtStart(_Counter):
    @refines(Abstract)
    def ref(self) -> dict[str, Any]:
        return {"x": 3 // self.n}


class InvariantFails(_Counter):
    @invariant
    def inv(self) -> bool:
        return self.n < 2


class InvariantBeyond(_Counter):
    @constraint
    def low(self) -> bool:
        return self.n < 2

    @invariant
    def inv(self) -> bool:
        return self.n < 2


class InvariantError(_Counter):
    @invariant
    def inv(self) -> bool:
        return 3 // (2 - self.n) > 0


class StepFails(_Counter):
    @step_invariant
    def step(self, before: _Counter) -> bool:
        return before.n < 2


class StepError(_Counter):
    @step_invariant
    def step(self, before: _Counter) -> bool:
        return 3 // (2 - before.n) > 0


class GoalNeverReached(_Counter):
    @reachable
    def goal(self) -> bool:
        return self.n > 3


class GoalError(_Counter):
    @reachable
    def goal(self) -> bool:
        return 3 // (2 - self.n) > 5


class EventuallyFails(_Counter):
    @eventually
    def ends(self) -> bool:
        return self.n == 3


class EventuallyError(_Counter):
    @eventually
    def ends(self) -> bool:
        return 3 // (2 - self.n) > 5


class LeadsToFails(_Counter):
    @leads_to
    def goes_on(self) -> tuple[bool, bool]:
        return self.n == 1, self.n == 3


class FormulaFails(_Counter):
    @temporal
    def settles(self) -> Any:
        return eventually(always(self.n == 3))


class NotAlwaysReachable(_Counter):
    @always_reachable
    def home(self) -> bool:
        return self.n == 0


class AssertFails(_Counter):
    @action
    def boom(self) -> None:
        require(self.n == 2)
        raise AssertionError("boom")


class Deadlocks(_Counter):
    may_terminate = False


class Several(_Counter):
    @refines(Abstract)
    def ref(self) -> dict[str, Any]:
        return {"x": 0 if self.n < 2 else 2}

    @invariant
    def inv(self) -> bool:
        return self.n < 2

    @reachable
    def goal(self) -> bool:
        return self.n > 3


EVERY = [
    found
    for name, found in vars().items()
    if isinstance(found, type) and issubclass(found, _Counter) and not name.startswith("_")
]
