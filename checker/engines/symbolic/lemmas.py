"""Candidates for an inductive proof: the properties, the @lemma methods, and lemmas from explored states."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...backends.smt import Goal, System, z3
from ...backends.smt.terms import Terms
from ...frontend.tracer import Tracer
from ...language import marks
from .reachability import Explored

SAMPLE, MOST = 20_000, 1_500
"""Explored states that are used, and candidates that are tried."""


@dataclass(frozen=True)
class Candidate:
    """A condition that may be inductive: `good` holds over moment 0 (or a step, over 0 and 1)."""

    name: str
    good: Any
    text: str = ""
    goal: Goal | None = None
    mined: bool = False

    @property
    def step(self) -> bool:
        """Whether it is about two states."""
        return self.goal is not None and self.goal.step


def of_goals(goals: list[Goal]) -> list[Candidate]:
    """The properties to be proved."""
    return [Candidate(g.name, z3.Not(g.formula), goal=g) for g in goals]


def of_spec(system: System) -> list[Candidate]:
    """The @lemma methods of the spec."""
    spec = system.model.spec
    lemmas = [prop for prop in spec.properties if prop.kind == marks.LEMMA]
    if not lemmas:
        return []
    tracer, read, found = Tracer(spec), Terms(system.arithmetic, system.states.cells(0, 0)), []
    for prop in lemmas:
        term, errors = tracer.condition(prop.name)
        good = z3.And(read(term), *(z3.Not(read(condition)) for condition, _ in errors))
        found.append(Candidate(prop.name, good, prop.text))
    return found


class Miner:
    """Looks for bounds, equalities, orders and implications that hold on all explored states."""

    def __init__(self, system: System, explored: Explored) -> None:
        self.system, self.columns = system, explored.columns(SAMPLE)
        self.cells = system.model.cells
        self.numbers = system.states.cells(0, 0)
        self.varying = [i for i in range(len(self.cells)) if self.columns[:, i].min() < self.columns[:, i].max()]

    def kinds(self) -> Iterator[list[Candidate]]:
        """Candidates of one kind after the other, simple ones first, at most MOST in all."""
        left = MOST
        for source in (self._bounds(), self._pairs(), self._implications()):
            found = [replace(c, mined=True) for c in itertools.islice(source, left)]
            left -= len(found)
            yield found

    def _is(self, cell: int, value: int) -> Any:
        return self.system.states.equals(self.system.states.places[0][cell], value)

    def _less(self, a: Any, b: Any) -> Any:
        return self.system.arithmetic.less(a, b)

    def _bounds(self) -> Iterator[Candidate]:
        for i, cell in enumerate(self.cells):
            lo, hi = int(self.columns[:, i].min()), int(self.columns[:, i].max())
            if lo == hi and cell.lo < cell.hi:
                yield Candidate(f"{cell.path} == {lo}", self._is(i, lo))
            elif hi < cell.hi:
                bound = (self.system.arithmetic.constant(hi, (hi, hi)), (hi, hi))
                yield Candidate(f"{cell.path} <= {hi}", z3.Not(self._less(bound, self.numbers[i])))

    def _pairs(self) -> Iterator[Candidate]:
        numbers = [i for i in self.varying if not self.cells[i].boolean]
        for i in numbers:
            for j in numbers:
                a, b = self.columns[:, i], self.columns[:, j]
                names = self.cells[i].path, self.cells[j].path
                if i < j and np.array_equal(a, b):
                    equal = self.system.arithmetic.equal(self.numbers[i], self.numbers[j])
                    yield Candidate(f"{names[0]} == {names[1]}", equal)
                elif i != j and self.cells[i].hi > self.cells[j].lo and (a <= b).all() and not np.array_equal(a, b):
                    yield Candidate(f"{names[0]} <= {names[1]}", z3.Not(self._less(self.numbers[j], self.numbers[i])))

    def _implications(self) -> Iterator[Candidate]:
        for i in self.varying:
            values = np.unique(self.columns[:, i])
            for value in values if len(values) <= 4 else ():
                rows = self.columns[self.columns[:, i] == value]
                for j in self.varying:
                    low, high = int(rows[:, j].min()), int(rows[:, j].max())
                    if i != j and low == high:
                        text = f"{self.cells[i].path} == {value} implies {self.cells[j].path} == {low}"
                        yield Candidate(text, z3.Implies(self._is(i, int(value)), self._is(j, low)))
