"""The judgement of fair cycles is doubted: states of its certificate are executed once more, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from ...ir.layout import Layout
from ...language import marks
from ...language.declarations import Property
from ...language.spec import Spec
from ..crosscheck import culprit
from ..crosscheck.allowance import Allowance
from ..crosscheck.memory import Cells
from ..crosscheck.plain_python import PlainPython
from .certificate import Certificate, Move, Seen
from .fairness import Assumed, Round
from .graph import Graph, Numbers

LEAST = 100
"""States that are asked about each property, at the least; where time decides, all that there is time for."""
FEW = 4
"""States that are asked in any case."""
SHARE = 4
"""The states that are cross-checked, by those that are asked: these are looked at with all their successors."""


class Doubt:
    """Asks states of a graph whether they agree that a property holds; some of so many for each."""

    def __init__(self, spec: Spec, graph: Graph, layout: Layout, allowance: Allowance) -> None:
        self.spec, self.graph, self.layout = spec, graph, layout
        self.plain, self.numbers = PlainPython(spec), Numbers(graph.states)
        self.groups = [frozenset(one.instances) for one in spec.fairness()]
        self.constraints = spec.named(marks.CONSTRAINT)
        self.allowance, temporal = allowance, max(1, sum(p.kind in marks.TEMPORAL for p in spec.properties))
        self.each = max(LEAST, allowance.nominal // (SHARE * temporal))
        self.dice = Random(0)

    def __call__(self, prop: Property, region: Any, rounds: Sequence[Round], fair: Sequence[Assumed]) -> None:
        """E217 when a state has something against it that a property holds."""
        certificate = Certificate(region, rounds, fair, self.groups)
        with self.allowance.running():
            for at, state in enumerate([] if self.allowance.off else self._chosen(region)):
                if at >= FEW and self.allowance.over():
                    break
                flaw = certificate.flaw(state, self.seen(prop, state))
                if flaw:
                    said = f"that it holds on every fair behaviour is not so: {flaw}"
                    raise culprit.difference(self.spec, prop.name, said, self._cells(state), None)

    def reaches(self, prop: Property, rank: Any) -> None:
        """E217 when a state does not agree that it is so many steps away from one in which a property holds."""
        with self.allowance.running():
            for at, state in enumerate([] if self.allowance.off else self._chosen(rank > 0)):
                if at >= FEW and self.allowance.over():
                    break
                cells = self._cells(state)
                after = {t for found in self.plain.steps(cells, lambda n, _: str(n)).after.values() for t in found}
                rows = np.array([self.layout.pack(target) for target in after], np.uint64)
                ranks = {int(rank[n]) for n in self.numbers.of(rows.reshape(-1, self.layout.words)).tolist() if n >= 0}
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
        by: dict[Cells, set[int]] = {}
        for instance, after in self.plain.steps(cells, lambda number, _: str(number)).after.items():
            for target in after:
                by.setdefault(target, set()).add(int(instance))
        by.pop(cells, None)
        able = frozenset().union(*by.values())
        enabled = frozenset(k for k, group in enumerate(self.groups) if group & able)
        moves = self._moves(prop, cells, {t: a for t, a in by.items() if self.plain.inside(t, self.constraints)})
        if prop.steps:
            starts = prop.kind == marks.INFINITELY_OFTEN or self.graph.level[state] == 1
            return Seen(bool(starts), False, enabled, moves)
        asked, held = self._values(prop, cells)
        begins = {marks.LEADS_TO: asked, marks.INFINITELY_OFTEN: True}.get(prop.kind, self.graph.level[state] == 1)
        stable = prop.kind == marks.EVENTUALLY_ALWAYS
        return Seen(bool(begins and (stable or not held)), stable and not held, enabled, moves)

    def _moves(self, prop: Property, cells: Cells, by: dict[Cells, set[int]]) -> list[Move]:
        rows = np.array([self.layout.pack(target) for target in by], np.uint64).reshape(len(by), self.layout.words)
        found, stable = list[Move](), prop.kind == marks.EVENTUALLY_ALWAYS
        for (target, instances), number in zip(by.items(), self.numbers.of(rows).tolist(), strict=True):
            if prop.steps:
                good = bool(self.plain.value(prop.name, target, cells))
            else:
                good = self._values(prop, cells)[1] or self._values(prop, target)[1]
            found.append((number, frozenset(instances), stable or not good, stable and prop.steps and not good))
        return found

    def _values(self, prop: Property, cells: Cells) -> tuple[bool, bool]:
        value = self.plain.judge(prop.name, cells).value
        return (bool(value[0]), bool(value[1])) if prop.kind == marks.LEADS_TO else (bool(value), bool(value))
