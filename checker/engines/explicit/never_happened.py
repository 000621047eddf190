"""What no step of a finished search has done: actions that change nothing, left sides that are never true on a step.

The stored states are expanded once more, level by level, until everything that is looked for was seen: mostly a few
states. Where it is not seen, no more than MOST steps are examined, and nothing is said; nor is it where states of a
distributed search, which are not in this process, would have to be examined.
"""

from __future__ import annotations

from typing import Any

from ...backends.interpreter import Valuation
from ...ir.traced import Antecedent, Model
from ...language.methods import function_of
from ...language.oversights import is_idle, no_effect
from ...results.verdict import ActionCoverage
from ..vacuity import never_true
from .history import History

MOST, EVALUATED = 1 << 20, 1 << 14
"""Steps that are expanded, and those on which left sides are evaluated."""
ROWS = 256
"""States that are expanded at once."""


def never_happened(model: Model, history: History, coverage: dict[str, ActionCoverage]) -> list[str]:
    """A sentence for each action that was taken and changed no state, and for each left side that was never true."""
    looked, here = _Looked(model, history, coverage), history.near_depth
    parts = (
        part for level in range(1, here + 1) for block in history.blocks(level, ROWS) for part in history.parts(block)
    )
    while looked.waiting and (part := next(parts, None)) is not None:
        looked.at(part)
    return looked.sentences() if here == history.depth else []


class _Looked:
    """What was not yet seen."""

    def __init__(self, model: Model, history: History, coverage: dict[str, ActionCoverage]) -> None:
        self.model, self.history = model, history
        self.still = {name for name, seen in coverage.items() if seen.taken and not seen.new and self._writes(name)}
        self.lefts: list[Antecedent] = [*model.step_antecedents]
        self.steps = 0

    def _writes(self, name: str) -> bool:
        """Whether an action assigns something; others are noted when a spec is traced."""
        writes = any(action.writes for action in self.model.actions if action.instance.name == name)
        return writes and not is_idle(function_of(self.model.spec._declaration(name).method))

    @property
    def waiting(self) -> bool:
        """Whether something was not yet seen, and may be said."""
        if self.steps > MOST:
            self.still.clear()
        if self.steps > EVALUATED:
            self.lefts.clear()
        return bool(self.still or self.lefts)

    def at(self, states: Any) -> None:
        """Expand some states."""
        after, sources = self.history.expand(states)
        before = states[sources]
        self.steps += len(after)
        if self.still:
            changing = self.history.actions(slice(0, len(after)))[(after != before).any(axis=1)]
            self.still -= {self.history.program.action_names[number] for number in set(changing.tolist())}
        if self.lefts:
            unpack = self.model.layout.unpack_all
            for earlier, later in zip(unpack(before), unpack(after), strict=True):
                value = Valuation(later, earlier)
                self.lefts = [left for left in self.lefts if not value(left.term)]

    def sentences(self) -> list[str]:
        """What was never seen, if all steps were looked at."""
        if not self.waiting:
            return []
        return [*map(no_effect, sorted(self.still)), *(never_true(left.property, left.where) for left in self.lefts)]
