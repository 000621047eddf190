"""Cross-checks the steps that a reduced search left out, in plain Python.

The stubborn set of a state is computed again from plain Python's guard values. Then plain Python checks it: the enabled
instances are compared, and each chosen instance is executed with each omitted one in both orders. Both orders must lead
to the same states, and goals and violations of the omitted instance must also show after the chosen one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...backends.interpreter import Valuation, outcomes
from ...ir.stubborn import Reduction, bits, mask
from ...language import marks
from ..execution_cache import Cells
from ..plain_python import changed
from .compiled_steps import Answer
from .crosscheck import CrossCheck


@dataclass(frozen=True)
class Parts:
    """The parts of one state: enabled ones and chosen ones, as sets; for each successor, in order, the part that leads
    there; and for each part whether it fails."""

    enabled: int
    chosen: int
    leading: tuple[int, ...]
    failing: int


class ReductionCheck:
    """Compares a reduction with plain Python, state by state."""

    def __init__(self, check: CrossCheck, reduction: Reduction) -> None:
        self.check, self.reduction = check, reduction
        self.spec, self.plain = check.spec, check.plain
        self._known: dict[tuple[int, Cells], tuple[list[Cells], bool]] = {}
        self._agreed: set[tuple[int, Cells]] = set()

    def compare(self, said: Answer) -> Parts:
        """Check the stubborn set of a state, given the results of machine code; E217 if it is not valid."""
        cells = self.check.model.layout.unpack(said.row[0].tolist())
        value = Valuation(cells)
        self._known.clear()
        self._agreed.clear()
        false = mask(i for i, guard in enumerate(self.reduction.guards) if not value(guard))
        enabled = self.reduction.enabled(false)
        moving = enabled & mask(i for i, part in enumerate(self.reduction.parts) if value(part.moves))
        chosen = self.reduction.chosen(enabled, false, moving)
        self._agree(cells, range(len(self.check.model.actions)))
        failing = mask(i for i in range(len(self.reduction.parts)) if self._fails(i, cells))
        for i in range(len(self.reduction.parts)):
            if bool(self._after(i, cells) or failing >> i & 1) != bool(enabled >> i & 1):
                negation = "" if enabled >> i & 1 else "not "
                message = f"{self._name(i)} is {negation}enabled by its guards, not by its steps"
                raise self.check.differs(self._name(i), message, cells)
        for one in bits(chosen) if chosen != enabled else ():
            for other in bits(enabled & ~chosen):
                self._both(cells, one, other)
        return Parts(enabled, chosen, tuple(self._leading(cells, said)), failing)

    def taken(self, parts: Parts, leads_on: bool, said: Answer) -> tuple[Any, list[bool]]:
        """The counters of a search for a state, depending on whether its chosen steps lead on, and the steps that it
        takes."""
        program, counted = self.check.program, said.counted.copy()
        steps = parts.chosen if leads_on else parts.enabled
        numbers = [program.action_of[part.action] for part in self.reduction.parts]
        taken = [bool(steps >> part & 1) for part in parts.leading]
        for number in range(len(program.action_names)):
            mine = [steps >> part & 1 for part in parts.leading if numbers[part] == number]
            counted[program.counters.taken(number)] = sum(mine)
            counted[program.counters.enabled(number)] = any(numbers[i] == number for i in bits(parts.enabled))
        counted[program.counters.generated] = sum(taken)
        counted[program.counters.faults] = (parts.failing & steps).bit_count()
        counted[program.counters.reduced] = leads_on and parts.chosen != parts.enabled
        return counted, taken

    def _leading(self, cells: Cells, said: Answer) -> Sequence[int]:
        """The part that leads to each successor: machine code orders actions by name, then by instance."""
        program, found = self.check.program, list[int]()
        for number in range(len(program.action_names)):
            for i, part in enumerate(self.reduction.parts):
                if program.action_of[part.action] == number:
                    found += [i] * len(self._after(i, cells))
        assert len(found) == len(said.after), "plain Python has other successors, which was compared before"
        return found

    def _agree(self, cells: Cells, actions: Iterable[int]) -> None:
        """Check that the parts of action instances together do what plain Python does."""
        for number in actions:
            if (number, cells) in self._agreed:
                continue
            self._agreed.add((number, cells))
            ways, bounds = self.plain.ways(number, cells), self.spec._step_bounds
            found = [changed(cells, changes) for changes in ways.changes]
            found = [a for a in found if all(self.plain.value(b, a, cells) is not False for b in bounds)]
            mine = [i for i, part in enumerate(self.reduction.parts) if part.action == number]
            fails = any(self._fails(i, cells) for i in mine)
            if found != [after for i in mine for after in self._after(i, cells)] or fails != bool(ways.failing):
                name = str(self.spec.instances[number])
                raise self.check.differs(name, f"the parts of {name} do something else on values", cells)

    def _done(self, part: int, cells: Cells) -> tuple[list[Cells], bool]:
        """Where a part leads from a state, and whether it fails there."""
        found = self._known.get((part, cells))
        if found is None:
            ends = [end for _, end in outcomes(self.reduction.parts[part].tree, cells)]
            after = [end for end in ends if isinstance(end, tuple)]
            found = self._known[part, cells] = after, len(after) < len(ends)
        return found

    def _after(self, part: int, cells: Cells) -> list[Cells]:
        return self._done(part, cells)[0]

    def _fails(self, part: int, cells: Cells) -> bool:
        return self._done(part, cells)[1]

    def _both(self, cells: Cells, one: int, other: int) -> None:
        """Execute a chosen part and an omitted one in both orders."""
        first, second = self._after(one, cells), self._after(other, cells)
        actions = [self.reduction.parts[part].action for part in (one, other)]
        for middle in (*first, *second):
            self._agree(middle, actions)
        if any(self._fails(other, there) != self._fails(other, cells) for there in first) or any(
            self._fails(one, there) != self._fails(one, cells) for there in second
        ):
            raise self._wrong(one, other, "one of them fails in one order only", cells)
        if self._fails(one, cells) or self._fails(other, cells):
            return
        there = Counter(after for middle in first for after in self._after(other, middle))
        back = Counter(after for middle in second for after in self._after(one, middle))
        if there != back or sum(there.values()) != len(first) * len(second):
            raise self._wrong(one, other, "the two orders lead elsewhere", cells)
        for prop in self.check.on_states:
            if prop.kind not in (marks.INVARIANT, marks.REACHABLE):
                continue
            wanted, here = prop.kind == marks.REACHABLE, self.plain.value(prop.name, cells)
            for middle in second:
                shown = self.plain.value(prop.name, middle)
                hidden = (after for after in self._after(one, middle) if self.plain.value(prop.name, after) != shown)
                if shown in (wanted, None) and shown != here and any(hidden):
                    raise self._wrong(one, other, f"it hides what {prop.name} says", cells)

    def _wrong(self, one: int, other: int, said: str, cells: Cells) -> Exception:
        message = f"{self._name(other)} was left out beside {self._name(one)}: {said}"
        return self.check.differs(self._name(one), message, cells)

    def _name(self, part: int) -> str:
        return str(self.spec.instances[self.reduction.parts[part].action])
