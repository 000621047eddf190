"""The cross-check of liveness: states of a certificate are executed once more, in plain Python."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from random import Random
from typing import Any

import numpy as np

from ...backends.native.interface import NO_NODE
from ...ir.layout import Layout
from ...language import marks
from ...language.declarations import Property
from ...language.spec import Spec
from ..crosscheck import culprit
from ..crosscheck.allowance import Allowance
from ..execution_cache import Cells
from ..plain_python import PlainPython
from .assumptions import Assumptions
from .certificate import Certificate, Move, Seen
from .fairness import Round
from .graph import Graph, Numbers
from .product import PAUSE, Refutation
from .step_assumptions import StepFairness

LEAST = 100
"""States that are asked about each property, at the least; where time decides, all that there is time for."""
FEW = 4
"""States that are asked in any case."""
SHARE = 4
"""The states that are cross-checked, by those that are asked: these are looked at with all their successors."""


class LivenessCrossCheck:
    """Asks states of a graph whether they agree that a property holds; some of so many for each."""

    def __init__(self, spec: Spec, graph: Graph, numbers: Numbers, layout: Layout, allowance: Allowance) -> None:
        self.spec, self.graph, self.numbers, self.layout = spec, graph, numbers, layout
        self.plain = PlainPython(spec)
        self.groups = [frozenset(one.instances) for one in spec._fairness()]
        self.constraints = spec._named(marks.CONSTRAINT)
        self.fair_steps: Sequence[StepFairness] = ()
        self.allowance, temporal = allowance, max(1, sum(p.kind in marks.TEMPORAL for p in spec.properties))
        self.each = max(LEAST, allowance.nominal // (SHARE * temporal))
        self.dice = Random(0)

    def __call__(self, prop: Property, rounds: Sequence[Round], fair: Assumptions) -> None:
        """E217 when a state has something against it that a property holds."""
        if self.allowance.off:
            return
        certificate = Certificate(rounds, fair, self._all_groups())
        for state in self._asked(certificate.region):
            self._agree(prop, state, certificate.flaw(state, self.seen(prop, state)))

    def _all_groups(self) -> list[frozenset[int]]:
        """The steps of each assumption: by action instances, and by a number below PAUSE for fairness of steps."""
        return [*self.groups, *(frozenset([_number(k)]) for k in range(len(self.fair_steps)))]

    def formula(self, prop: Property, search: Refutation, assumed: Sequence[Property]) -> None:
        """E217 when a state, with a location of the automaton, has something against it that a formula holds.

        The conditions of the formula are those of some assumptions, and then those of the property.
        """
        if self.allowance.off:
            return
        instances = frozenset(range(len(self.spec.instances)))
        groups = [*self._all_groups(), *[frozenset[int]()] * search.automaton.accepting, instances | {PAUSE}]
        certificate, joined = Certificate(search.rounds, search.fair, groups), [*assumed, prop]
        for node in self._asked(certificate.region):
            location, state = divmod(node, search.size)
            self._agree(prop, state, certificate.flaw(node, self._seen_with(joined, search, location, state)))

    def _asked(self, region: Any) -> Iterator[int]:
        """The states that are asked, as long as there is time."""
        with self.allowance.running():
            for at, state in enumerate([] if self.allowance.off else self._chosen(region)):
                if at >= FEW and self.allowance.over():
                    break
                yield state

    def _agree(self, prop: Property, state: int, flaw: str) -> None:
        if flaw:
            said = f"that it holds on every fair behaviour is not so: {flaw}"
            raise culprit.difference(self.spec, prop.name, said, self._cells(state), None)

    def _seen_with(self, joined: Sequence[Property], search: Refutation, location: int, state: int) -> Seen:
        """What plain Python says of a state with a location; some properties have the conditions of the formula."""
        cells, automaton, numbers = self._cells(state), search.automaton, len(self._all_groups())
        by, enabled = self._steps(cells)
        waiting = [k for k in range(automaton.accepting) if k not in automaton.locations[location].fulfilled]
        enabled |= {numbers + k for k in waiting} | {numbers + automaton.accepting}
        by = {target: found for target, found in by.items() if self.plain.inside(target, self.constraints)}
        by[cells] = {PAUSE}
        of_steps = any(prop.steps for prop in joined)
        moves = list[Move]()
        for (target, instances), number in zip(by.items(), self._numbers_of(by), strict=True):
            if of_steps and location not in self._fitting(joined, search, cells, target):
                continue
            there = range(len(automaton.locations)) if of_steps else self._fitting(joined, search, target, target)
            for after in automaton.successors[location]:
                if after in there:
                    node = after * search.size + number if number >= 0 else -1
                    moves.append((node, frozenset(instances), True, False))
        begins = self.graph.level[state] == 1 and location in automaton.initial
        begins = begins and (of_steps or location in self._fitting(joined, search, cells, cells))
        return Seen(bool(begins), False, enabled, moves)

    def _fitting(self, joined: Sequence[Property], search: Refutation, cells: Cells, after: Cells) -> set[int]:
        """The locations whose literals hold on a step, or in a state where nothing changes."""
        held = [value for prop in joined for value in self._held(prop, cells, after)]
        locations = enumerate(search.automaton.locations)
        return {q for q, found in locations if all(held[number] == value for number, value in found.literals)}

    def _held(self, prop: Property, cells: Cells, after: Cells) -> list[bool]:
        """The values of the conditions of a property on a step, or where nothing changes."""
        if prop.steps and prop.kind not in marks.OF_FORMULAS:
            stays = prop.kind == marks.EVENTUALLY_ALWAYS
            return [stays if cells == after else bool(self.plain.value(prop.name, after, cells))]
        found = self.plain.judge(prop.name, after, cells) if prop.steps else self.plain.judge(prop.name, cells)
        value = found.value
        if prop.kind in marks.OF_FORMULAS:
            return list(map(bool, value.conditions()))
        return [bool(each) for each in (value if isinstance(value, tuple) else (value,))]

    def reaches(self, prop: Property, rank: Any) -> None:
        """E217 when a state does not agree that it is so many steps away from one in which a property holds."""
        for state in self._asked(rank > 0):
            cells = self._cells(state)
            ranks = {int(rank[number]) for number in self._numbers_of(self._steps(cells)[0]) if number >= 0}
            holds = bool(self.plain.value(prop.name, cells))
            if holds != (rank[state] == 0) or not (holds or rank[state] - 1 in ranks):
                said = f"that a state with it is {int(rank[state]):,} steps away is not so"
                raise culprit.difference(self.spec, prop.name, said, cells, None)

    def _chosen(self, region: Any) -> list[int]:
        """States of the region, and a quarter as many of all states."""
        inside, size = np.flatnonzero(region), len(region)
        waiting = [int(inside[k]) for k in self.dice.sample(range(len(inside)), min(self.each, len(inside)))]
        others = range(size) if size <= self.each else self.dice.sample(range(size), self.each // 4)
        return [*dict.fromkeys([*waiting, *others])]

    def _cells(self, state: int) -> Cells:
        return self.layout.unpack(self.graph.states[state].tolist())

    # -- plain Python --------------------------------------------------------------------------------------

    def seen(self, prop: Property, state: int) -> Seen:
        """What plain Python says of a state."""
        cells = self._cells(state)
        by, enabled = self._steps(cells)
        moves = self._moves(prop, cells, {t: a for t, a in by.items() if self.plain.inside(t, self.constraints)})
        if prop.steps:
            starts = prop.kind == marks.INFINITELY_OFTEN or self.graph.level[state] == 1
            return Seen(bool(starts), False, enabled, moves)
        asked, held = self._values(prop, cells)
        begins = {marks.LEADS_TO: asked, marks.INFINITELY_OFTEN: True}.get(prop.kind, self.graph.level[state] == 1)
        stable = prop.kind == marks.EVENTUALLY_ALWAYS
        return Seen(bool(begins and (stable or not held)), stable and not held, enabled, moves)

    def _steps(self, cells: Cells) -> tuple[dict[Cells, set[int]], frozenset[int]]:
        """The states that a step leads to, with the instances of the steps, and what is fair and enabled."""
        by: dict[Cells, set[int]] = {}
        for instance, after in self.plain.steps(cells, lambda number, _: str(number)).after.items():
            for target in after:
                by.setdefault(target, set()).add(int(instance))
        by.pop(cells, None)
        able = frozenset().union(*by.values())
        enabled = {k for k, group in enumerate(self.groups) if group & able}
        for k, one in enumerate(self.fair_steps):
            if one.enabled is None or self._held(one.prop, cells, cells)[one.enabled]:
                enabled.add(len(self.groups) + k)
            for target, found in by.items():
                if self._held(one.prop, cells, target)[one.taken]:
                    found.add(_number(k))
        return by, frozenset(enabled)

    def _numbers_of(self, found: Collection[Cells]) -> list[int]:
        """The number of each of some states, -1 where it is none of the graph."""
        rows = np.array([self.layout.pack(cells) for cells in found], np.uint64)
        numbers = self.numbers.of(rows.reshape(len(found), self.layout.words))
        known: list[int] = np.where(numbers == NO_NODE, -1, numbers.astype(np.int64)).tolist()
        return known

    def _moves(self, prop: Property, cells: Cells, by: dict[Cells, set[int]]) -> list[Move]:
        found, stable = list[Move](), prop.kind == marks.EVENTUALLY_ALWAYS
        for (target, instances), number in zip(by.items(), self._numbers_of(by), strict=True):
            if prop.steps:
                good = bool(self.plain.value(prop.name, target, cells))
            else:
                good = self._values(prop, cells)[1] or self._values(prop, target)[1]
            found.append((number, frozenset(instances), stable or not good, stable and prop.steps and not good))
        return found

    def _values(self, prop: Property, cells: Cells) -> tuple[bool, bool]:
        value = self.plain.judge(prop.name, cells).value
        return (bool(value[0]), bool(value[1])) if prop.kind == marks.LEADS_TO else (bool(value), bool(value))


def _number(assumption: int) -> int:
    """The number of the steps of an assumption, beside those of action instances and of PAUSE."""
    return PAUSE - 1 - assumption
