"""Cross-checks a result that comes from the cache: the first states of the space are executed again in plain Python.

Their steps and properties are compared with the traced model, and what plain Python sees in them must be in the result.
Nothing is compiled. A difference is E217.
"""

from __future__ import annotations

from collections import Counter

from ...backends.interpreter import Cells, Valuation, outcomes
from ...backends.native.initial_states import InitialStates
from ...errors import CheckedError
from ...ir.traced import Model, TracedProperty
from ...language import marks
from ...results.result import Result
from ...results.verdict import Kind
from ..limits import Limits
from ..plain_python import PlainPython
from . import culprit
from .allowance import Allowance
from .verdict_check import DEADLOCK, ERROR, Broken, SampledViolations, confirm

STATES = 32
"""States that are executed, where the time allows it."""
JUDGED = {
    marks.INVARIANT: Kind.INVARIANT,
    marks.STEP_INVARIANT: Kind.STEP_INVARIANT,
    marks.REACHABLE: None,
    marks.CONSTRAINT: None,
}


def cross_check(model: Model, result: Result, limits: Limits) -> int:
    """How many states were compared; none where the cross-check is off."""
    allowance = Allowance(limits.cross_check, limits.stopwatch, limits.cross_check_seconds)
    if allowance.off:
        return 0
    with allowance.running():
        sample = _Sample(model)
        sample.take(min(STATES, allowance.nominal), allowance)
        found = SampledViolations(dict.fromkeys(sample.broken, 0), frozenset(sample.goals))
        confirm(model.spec, result, found, False, limits.deadlock and not model.spec._ends)
        if len(sample.seen) > result.distinct and not model.view:
            said = f"the cached result has {result.distinct:,} states, and plain Python reaches more"
            raise culprit.difference(model.spec, type(model.spec).__name__, said, sample.done[0], None)
    return len(sample.done)


class _Sample:
    """The first states of a space, breadth first, with what plain Python saw in them."""

    def __init__(self, model: Model) -> None:
        self.model, self.spec, self.plain = model, model.spec, PlainPython(model.spec)
        self.constraints = self.spec._named(marks.CONSTRAINT)
        self.seen: dict[Cells, None] = {}
        self.done: list[Cells] = []
        self.broken: set[Broken] = set()
        self.goals: set[str] = set()

    def take(self, most: int, allowance: Allowance) -> None:
        """Compare so many states; at least one, and no more when the time is over."""
        for cells in InitialStates(self.model).sample(most, allowance.over)[:most]:
            self._reach(None, cells)
        while len(self.done) < min(most, len(self.seen)) and not (self.done and allowance.over()):
            self._steps([*self.seen][len(self.done)])

    def _reach(self, before: Cells | None, cells: Cells) -> None:
        """Judge a state, and the step to it."""
        if before is not None:
            self._judge(cells, before)
        if cells not in self.seen:
            self._judge(cells, None)
            if self.plain.inside(cells, self.constraints):
                self.seen[cells] = None

    def _steps(self, cells: Cells) -> None:
        self.done.append(cells)
        found = self.plain.steps(cells, lambda _, instance: str(instance))
        failing = Counter(str(failed.action) for failed in found.failing)
        for action in self.model.actions:
            name, ends = str(action.instance), [end for _, end in outcomes(action.tree, cells)]
            after = [end for end in ends if not isinstance(end, CheckedError)]
            if after != found.after[name] or len(ends) - len(after) != failing[name]:
                message = f"the cached model has {len(ends)} outcomes, other ones than plain Python"
                raise culprit.difference(self.spec, name, message, cells, None)
            for following in found.after[name]:
                self._reach(cells, following)
        self.broken.update([ERROR] if failing else [] if any(found.after.values()) else [DEADLOCK])

    def _judge(self, cells: Cells, before: Cells | None) -> None:
        """Compare the properties of a state, or of a step."""
        value = Valuation(cells, before or ())
        for prop in self.model.properties:
            if prop.kind in JUDGED and prop.steps == (before is not None):
                plain = self.plain.value(prop.name, cells, before)
                fails = any(value(condition) for condition, _ in prop.errors)
                if plain != (None if fails else bool(value(prop.term))):
                    message = f"it is {plain} in plain Python, and another value in the cached model"
                    raise culprit.difference(self.spec, prop.name, message, cells, None)
                self._observe(prop, plain)

    def _observe(self, prop: TracedProperty, value: bool | None) -> None:
        kind = Kind.REFINEMENT if prop.name in self.spec._refinements else JUDGED[prop.kind]
        if value is None:
            self.broken.add((prop.name, Kind.PROPERTY_ERROR))
        elif kind is not None and not value:
            self.broken.add((prop.name, kind))
        elif prop.kind == marks.REACHABLE and value:
            self.goals.add(prop.name)
