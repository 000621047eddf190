"""Compares z3's formulas with plain Python, on states of all kinds (see `formula_states`); this cross-checks proofs.

For each state one evaluation gives all booleans: which leaves of decision trees are enabled, which properties and
lemmas hold or fail, whether it is initial, inside the constraints, and a goal. Then the steps are compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import z3

from ...backends.native.initial_states import InitialStates
from ...backends.smt import BROKEN, FAULT, STUCK, Goal, System
from ...language import marks
from ...language.state import State
from ..execution_cache import Cells
from ..plain_python import PlainPython, PlainSuccessors
from . import culprit

Outcomes = dict[str, tuple[set[Cells], bool]]
"""By action instance: its successors, and whether one of its steps fails."""
INITIAL = 50_000
"""Initial states that are enumerated at most; of more it is not compared which states are none."""


class Formulas:
    """Compares the formulas of one model of a system with plain Python; `count` is the number of states compared."""

    def __init__(self, system: System, m: int, goals: Sequence[Goal] = (), lemmas: Mapping[str, Any] | None = None):
        self.system, self.m, self.model = system, m, system.models[m]
        self.spec, self.states, self.plain = self.model.spec, system.states, PlainPython(self.model.spec)
        beginning = InitialStates(self.model)
        beginning.sample()
        self.initial = dict.fromkeys(itertools.islice(beginning.each(), INITIAL + 1))
        self.goals, self.lemmas = goals, lemmas or {}
        self._known: dict[Cells, list[Cells]] = {}
        self._now = z3.Model()
        self._now.update_value(system.which, z3.BitVecVal(m, system.which.size()))
        for slot in set(range(len(system.states.slots))) - set(system.states.places[m]):
            self._set_slot(slot, system.states.slots[slot].lo, 0)
        kinds = (marks.INVARIANT, marks.REACHABLE, marks.CONSTRAINT)
        self.on_states = [i for i, p in enumerate(self.model.properties) if p.kind in kinds]
        of_steps = (marks.STEP_INVARIANT, marks.ACTION_CONSTRAINT)
        self.on_steps = [i for i, p in enumerate(self.model.properties) if p.kind in of_steps]
        self._sets = [system.valid, system.inside, system.initial]
        parts = [[leaf.guard for leaf in system.leaves], self._truths(self.on_states), self._sets]
        parts += [[goal.formula for goal in goals if not goal.step], list(self.lemmas.values())]
        self._cuts = [len(part) for part in parts]
        self._of_state = _bits([formula for part in parts for formula in part])
        self._of_step = _bits(self._truths(self.on_steps) + [goal.formula for goal in goals if goal.step])

    @property
    def count(self) -> int:
        """States that were compared so far."""
        return len(self._known)

    def _truths(self, indexes: Sequence[int]) -> list[Any]:
        """For each property whether it holds, and whether evaluating it fails."""
        return [f for i in indexes for f in (self.system.holds(i, self.m), self.system.fails(i, self.m))]

    def _set(self, cells: Cells, at: int) -> None:
        for slot, value in zip(self.states.places[self.m], cells, strict=True):
            self._set_slot(slot, value, at)

    def _set_slot(self, slot: int, value: int, at: int) -> None:
        of = self.states.slots[slot]
        shown = z3.BoolVal(bool(value)) if of.boolean else self.system.arithmetic.constant(value, of.interval)
        self._now.update_value(self.states.moment(at)[slot], shown)

    def compare(self, cells: Cells) -> list[Cells]:
        """The successors of a state, on which both agree."""
        if cells not in self._known:
            state, found = State(self.spec.domains, cells), self.plain.steps(cells, lambda _, instance: str(instance))
            self._set(cells, 0)
            truths = iter(_read(self._now, self._of_state))
            leaves, values, sets, sought, lemmas = ([next(truths) for _ in range(cut)] for cut in self._cuts)
            self._steps(state, leaves, found)
            self._properties(self.on_states, values, state, None)
            self._which_sets(state, *sets)
            self._goals([g for g in self.goals if not g.step], sought, state, found)
            for name, symbols in zip(self.lemmas, lemmas, strict=True):
                self._same(name, symbols, self.plain.value(name, cells) is True, state)
            after = _once(found)
            if len(self._of_step):
                for following in after:
                    self._step(state, following)
            self._known[cells] = after
        return self._known[cells]

    def successors(self, cells: Cells) -> list[Cells]:
        """The successors of a state for plain Python."""
        return self._known.get(cells) or _once(self.plain.steps(cells, lambda _, instance: str(instance)))

    def inside(self, cells: Cells) -> bool:
        """Whether a state satisfies the constraints."""
        return self.plain.inside(cells, self.spec._named(marks.CONSTRAINT))

    # -- goals ---------------------------------------------------------------------------------------------

    def _which_sets(self, state: State, valid: bool, inside: bool, initial: bool) -> None:
        stated = {
            "a state of the language": (valid, True),
            "inside the constraints": (inside, self.inside(state.cells)),
        }
        if state.cells in self.initial or len(self.initial) <= INITIAL:
            stated["an initial state"] = initial, state.cells in self.initial
        for what, (symbols, values) in stated.items():
            if symbols != values:
                said = f"the state is {'' if symbols else 'not '}{what} on symbols, and {_is(values)} on values"
                raise culprit.difference(self.spec, type(self.spec).__name__, said, state.cells, None)

    def _goals(self, goals: Sequence[Goal], truths: Sequence[bool], state: State, found: PlainSuccessors) -> None:
        """Compare where goals hold; errors of a property count together."""
        symbols: dict[tuple[str, int], bool] = {}
        for goal, truth in zip(goals, truths, strict=True):
            symbols[goal.key, goal.index] = truth or symbols.get((goal.key, goal.index), False)
        shown = {(goal.key, goal.index): goal for goal in goals}
        for at, goal in shown.items():
            if goal.key in (FAULT, STUCK):
                ends = self.spec._ends
                stuck = not (ends or found.failing or any(found.after.values()))
                values = self.inside(state.cells) and (bool(found.failing) if goal.key == FAULT else stuck)
            else:
                values = _shows(goal, self.plain.value(goal.name, state.cells))
            self._same(goal.name, symbols[at], values, state)

    def _same(self, name: str, symbols: bool, values: bool, state: State, before: State | None = None) -> None:
        """Compare whether a lemma or a goal holds."""
        if symbols != values:
            said = f"what z3 was given of it is {symbols} on symbols, {values} on values"
            raise culprit.difference(self.spec, name, said, state.cells, None)

    def _step(self, state: State, following: Cells) -> None:
        """Compare the results for a step."""
        self._set(following, 1)
        there, truths = State(self.spec.domains, following), _read(self._now, self._of_step)
        at = 2 * len(self.on_steps)
        self._properties(self.on_steps, truths[:at], there, state)
        goals = [goal for goal in self.goals if goal.step]
        broken = {g.index for g, truth in zip(goals, truths[at:], strict=True) if g.key == BROKEN and truth}
        for goal, truth in zip(goals, truths[at:], strict=True):
            symbols = goal.index in broken if goal.key == BROKEN else truth
            self._same(
                goal.name, symbols, _shows(goal, self.plain.value(goal.name, following, state.cells)), there, state
            )

    # -- steps ---------------------------------------------------------------------------------------------

    def _steps(self, state: State, enabled: Sequence[bool], found: PlainSuccessors) -> None:
        symbols = self._on_symbols(state, enabled)
        failing = {str(step.action) for step in found.failing}
        for instance in self.spec.instances:
            name = str(instance)
            values = set(found.after[name]), name in failing
            if symbols.get(name, (set(), False)) != values:
                said = self._different(symbols.get(name, (set(), False)), values)
                raise culprit.difference(self.spec, instance.name, said, state.cells, None)

    def _different(self, symbols: tuple[set[Cells], bool], values: tuple[set[Cells], bool]) -> str:
        """The variables in which two successors differ, or how many successors there are."""
        one, other = symbols[0] - values[0], values[0] - symbols[0]
        if len(one) == len(other) == 1 and symbols[1] == values[1]:
            return culprit.both(self.spec, one.pop(), other.pop())
        return f"{_told(symbols)} on symbols, {_told(values)} on values"

    def _on_symbols(self, state: State, enabled: Sequence[bool]) -> Outcomes:
        """What the enabled leaves do."""
        found: Outcomes = {}
        place = {slot: i for i, slot in enumerate(self.states.places[self.m])}
        for leaf, able in zip(self.system.leaves, enabled, strict=True):
            if not able:
                continue
            after, fails = found.get(str(leaf.instance), (set(), False))
            if leaf.error is not None:
                found[str(leaf.instance)] = after, True
                continue
            cells = list(state.cells)
            for slot, value in leaf.writes:
                cells[place[slot]] = self.states.number(self._now, value, slot)
            found[str(leaf.instance)] = after | {tuple(cells)}, fails
        return found

    # -- properties ----------------------------------------------------------------------------------------

    def _properties(self, indexes: Sequence[int], truths: Sequence[bool], state: State, before: State | None) -> None:
        for at, index in enumerate(indexes):
            name, (holds, fails) = self.model.properties[index].name, truths[2 * at : 2 * at + 2]
            symbols = None if fails else bool(holds)
            values = self.plain.value(name, state.cells, None if before is None else before.cells)
            if symbols != values:
                said = f"it {_shown(symbols)} on symbols, {_shown(values, symbols)} on values"
                raise culprit.difference(self.spec, name, said, state.cells, None)


def _once(found: PlainSuccessors) -> list[Cells]:
    """Successors, each once."""
    return list(dict.fromkeys(there for reached in found.after.values() for there in reached))


def _shows(goal: Goal, value: bool | None) -> bool:
    """Whether a goal holds, given the value of a property (None: it fails)."""
    return value is None if goal.key == BROKEN else value is (goal.key == marks.REACHABLE)


def _bits(formulas: Sequence[Any]) -> Any:
    """Formulas as one number, the first as its highest bit, so that shared parts are evaluated once."""
    one, zero = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)
    bits = [z3.If(formula, one, zero) for formula in formulas]
    return bits if len(bits) < 2 else [z3.Concat(*bits)]


def _read(model: Any, bits: Any) -> list[bool]:
    """The booleans in a number, which may have more digits than Python converts."""
    numbers = ((model.eval(part, model_completion=True), part.size()) for part in bits)
    return [bit == "1" for number, size in numbers for bit in number.as_binary_string().zfill(size)]


def _told(found: tuple[set[Cells], bool]) -> str:
    return f"{len(found[0])} successor{'' if len(found[0]) == 1 else 's'}{' and a failure' if found[1] else ''}"


def _shown(value: bool | None, beside: bool | None = None) -> str:
    return "fails" if value is None else f"{'' if beside is not None else 'is '}{value}"


def _is(value: bool) -> str:
    return "is" if value else "is not"
