"""Proofs doubt themselves, too: on states that plain Python reaches, z3's formulas must say what Python does.

The states are those of random walks whose choices depend on nothing but the spec. Of each, one evaluation gives all
truths: which leaves of decision trees are enabled, which properties hold and which fail. Then the steps are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import z3

from ...backends.smt import System
from ...errors import CheckedError
from ...language import marks
from ...language.concrete import StepFailed, attempts, evaluate, initial_states
from ...language.state import State
from . import culprit
from .doublecheck import Allowance

Cells = tuple[int, ...]
Outcomes = dict[str, tuple[set[Cells], bool]]
"""By action instance: its successors, and whether one of its steps fails."""


class Formulas:
    """Compares the formulas of one model of a system with plain Python; `count` says in how many states."""

    def __init__(self, system: System, m: int) -> None:
        self.system, self.m, self.model = system, m, system.models[m]
        self.spec, self.states = self.model.spec, system.states
        self._known: dict[Cells, list[Cells]] = {}
        self._now = z3.Model()
        self._now.update_value(system.which, z3.BitVecVal(m, system.which.size()))
        kinds = (marks.INVARIANT, marks.REACHABLE, marks.CONSTRAINT)
        self.on_states = [i for i, p in enumerate(self.model.properties) if p.kind in kinds]
        self.on_steps = [i for i, p in enumerate(self.model.properties) if p.kind == marks.STEP_INVARIANT]
        self._of_state = _bits([leaf.guard for leaf in system.leaves] + self._truths(self.on_states) + [system.valid])
        self._of_step = _bits(self._truths(self.on_steps))

    @property
    def count(self) -> int:
        """States that were compared so far."""
        return len(self._known)

    def _truths(self, indexes: Sequence[int]) -> list[Any]:
        """For each property whether it holds, and whether it fails to have a value."""
        return [f for i in indexes for f in (self.system.holds(i, self.m), self.system.fails(i, self.m))]

    def _set(self, cells: Cells, at: int) -> None:
        variables = self.states.moment(at)
        for slot, value in zip(self.states.places[self.m], cells, strict=True):
            of = self.states.slots[slot]
            shown = z3.BoolVal(bool(value)) if of.boolean else self.system.arithmetic.constant(value, of.interval)
            self._now.update_value(variables[slot], shown)

    def compare(self, cells: Cells) -> list[Cells]:
        """The successors of a state, on which both agree."""
        if cells not in self._known:
            state = State(self.spec.domains, cells)
            self._set(cells, 0)
            found = _read(self._now, self._of_state)
            leaves = found[: len(self.system.leaves)]
            after = self._steps(state, leaves)
            self._properties(self.on_states, found[len(leaves) :], state, None)
            if not found[-1]:
                said = "symbols take it for no state of the language"
                raise culprit.difference(self.spec, type(self.spec).__name__, said, cells, None)
            if self.on_steps:
                for following in after:
                    self._set(following, 1)
                    there = State(self.spec.domains, following)
                    self._properties(self.on_steps, _read(self._now, self._of_step), there, state)
            self._known[cells] = after
        return self._known[cells]

    # -- steps ---------------------------------------------------------------------------------------------

    def _steps(self, state: State, enabled: Sequence[bool]) -> list[Cells]:
        symbols = self._on_symbols(state, enabled)
        successors: dict[Cells, None] = {}
        for instance in self.spec.instances:
            steps = list(attempts(self.spec, state, instance))
            after = [step.state.cells for step in steps if not isinstance(step, StepFailed)]
            values = (set(after), len(after) < len(steps))
            if symbols.get(str(instance), (set(), False)) != values:
                said = self._different(symbols.get(str(instance), (set(), False)), values)
                where = culprit.of_action(self.spec, state, [instance])
                raise culprit.difference(self.spec, instance.name, said, state.cells, where)
            successors |= dict.fromkeys(after)
        return list(successors)

    def _different(self, symbols: tuple[set[Cells], bool], values: tuple[set[Cells], bool]) -> str:
        """In which variables two successors differ, or how many there are."""
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
            values = self._value(name, state, before)
            if symbols != values:
                said = f"it {_shown(symbols)} on symbols, {_shown(values, symbols)} on values"
                where = culprit.of_property(self.spec, name, state, before)
                raise culprit.difference(self.spec, name, said, state.cells, where)

    def _value(self, name: str, state: State, before: State | None) -> bool | None:
        try:
            return bool(evaluate(self.spec, name, state, before).value)
        except CheckedError:
            return None

    # -- which states --------------------------------------------------------------------------------------

    def walk(self, depth: int, allowance: Allowance) -> None:
        """Compare initial states and those of random walks of so many steps."""
        initial = [state.cells for state in initial_states(self.spec)]
        for cells in self._reached(initial, depth, allowance.least):
            self.compare(cells)
            if self.count >= allowance.least and allowance.over:
                return

    def _reached(self, initial: list[Cells], depth: int, least: int) -> Iterator[Cells]:
        """States, again and again; walks end when there are enough of them to have seen a small space."""
        random = Random(0)
        yield from initial[: max(1, least // 4)]
        for _ in range(16 + 4 * least // (depth + 1)):
            here = random.choice(initial)
            for _ in range(depth):
                yield here
                after = self.compare(here) if self._inside(here) else []
                if not after:
                    break
                here = random.choice(after)
            yield here

    def _inside(self, cells: Cells) -> bool:
        state = State(self.spec.domains, cells)
        return all(self._value(name, state, None) for name in self.spec.named(marks.CONSTRAINT))


def doublecheck(system: System, depth: int, number: int | None, seconds: float) -> int:
    """Compare states of each model of a system; how many were executed twice."""
    allowance, done = Allowance(number, seconds), 0
    allowance.least = -(-allowance.least // len(system.models))
    for m in range(len(system.models) if allowance.least else 0):
        formulas = Formulas(system, m)
        formulas.walk(depth, allowance)
        done += formulas.count
    return done


def _bits(formulas: Sequence[Any]) -> Any:
    """Formulas as one number, the first being its highest bit, so that what they share is evaluated once."""
    one, zero = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)
    bits = [z3.If(formula, one, zero) for formula in formulas]
    return bits if len(bits) < 2 else [z3.Concat(*bits)]


def _read(model: Any, bits: Any) -> list[bool]:
    """The truths that make up a number."""
    return [
        bit == "1" for part in bits for bit in f"{model.eval(part, model_completion=True).as_long():0{part.size()}b}"
    ]


def _told(found: tuple[set[Cells], bool]) -> str:
    return f"{len(found[0])} successor{'' if len(found[0]) == 1 else 's'}{' and a failure' if found[1] else ''}"


def _shown(value: bool | None, beside: bool | None = None) -> str:
    return "fails" if value is None else f"{'' if beside is not None else 'is '}{value}"
