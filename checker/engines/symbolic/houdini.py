"""Houdini: finds the largest inductive set of properties and lemmas, and which of them a proof needs.

Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java", 2001: candidates that fail are dropped until the
rest is inductive. The rest is the largest inductive subset, independent of the order of dropping.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...backends.smt import Clock, System, Unrolling, z3
from .lemmas import Candidate

Cells = tuple[int, ...]

GROUP = 40
"""Mined lemmas in one query."""


class Steps:
    """Paths of k steps through arbitrary states, on which candidates are assumed and refuted."""

    def __init__(self, system: System, k: int, candidates: Sequence[Candidate], clock: Clock) -> None:
        self.k, self.unrolling = k, Unrolling(system, clock)
        self.unrolling.add(system.valid)
        for at in range(k):
            self.unrolling.extend()
            self.unrolling.add(system.valid, at + 1)
        last = k if any(c.step for c in candidates) else k + 1
        for a in range(last):
            for b in range(a):
                self.unrolling.solver.add(self.unrolling.differ(a, b))
        self.assumed = {c.name: self._assume(c) for c in candidates}
        self.fails = {c.name: z3.Not(self.unrolling.at(c.good, k - c.step)) for c in candidates}
        self.cores: dict[str, set[str]] = {}
        """The candidates that the proof of a candidate needs, where it was queried alone."""

    def _assume(self, candidate: Candidate) -> Any:
        moments = range(self.k - candidate.step)
        return self.unrolling.name(z3.And([self.unrolling.at(candidate.good, at) for at in moments]))

    def largest(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The largest subset that is inductive.

        Candidates are queried one by one (mined ones, of which there are many, in groups), because the solver is faster
        on several narrow queries than on a wide one. When a candidate is dropped, those that depended on it are queried
        again.
        """
        alive = {c.name: c for c in candidates}
        todo, proved = deque(_groups(candidates)), list[tuple[list[Candidate], set[str]]]()
        while todo:
            group = [c for c in todo.popleft() if c.name in alive]
            if not group:
                continue
            found = self._ask(group, alive.values())
            if found is None:
                proved.append((group, self._core(group, alive)))
                continue
            gone = {name for name in alive if z3.is_true(found.eval(self.fails[name], model_completion=True))}
            alive = {name: c for name, c in alive.items() if name not in gone}
            todo += [again for again, core in proved if core & gone]
            todo.append(group)
            proved = [(kept, core) for kept, core in proved if not core & gone]
        return list(alive.values())

    def _ask(self, group: Sequence[Candidate], assumed: Iterable[Candidate]) -> z3.ModelRef | None:
        """A path on which all assumed candidates hold, and at whose end one of a group fails."""
        failing = self.unrolling.name(z3.Or([self.fails[c.name] for c in group]))
        return self.unrolling.ask(*(self.assumed[c.name] for c in assumed), failing)

    def _core(self, group: Sequence[Candidate], assumed: Iterable[str]) -> set[str]:
        """The names that the last unsatisfiable query depends on."""
        literals = {str(literal) for literal in self.unrolling.core()}
        core = {name for name in assumed if str(self.assumed[name]) in literals}
        if len(group) == 1:
            self.cores[group[0].name] = core
        return core

    def refutation(self, candidate: Candidate, kept: Sequence[Candidate]) -> list[Cells] | None:
        """The states of a path on which all kept candidates hold, and at whose end a candidate fails."""
        found = self._ask([candidate], {c.name: c for c in (*kept, candidate)}.values())
        return None if found is None else self.unrolling.behaviour(found)

    def needed(self, goals: Sequence[Candidate], kept: Sequence[Candidate]) -> list[Candidate]:
        """The candidates that the goals depend on, directly or indirectly."""
        known, todo, needed = {c.name: c for c in kept}, [c.name for c in goals], set[str]()
        while todo:
            name = todo.pop()
            if name in needed:
                continue
            needed.add(name)
            if name not in self.cores:
                assert self._ask([known[name]], kept) is None, "what is kept is inductive"
                self._core([known[name]], known)
            todo += self.cores[name]
        return [c for c in kept if c.name in needed]


def _groups(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """Lemmas of the spec one by one, then the properties, for which the solver has learned by then; then mined ones."""
    yield from ([c] for c in candidates if not c.mined and c.goal is None)
    yield from ([c] for c in candidates if c.goal is not None)
    mined = [c for c in candidates if c.mined]
    yield from (mined[i : i + GROUP] for i in range(0, len(mined), GROUP))
