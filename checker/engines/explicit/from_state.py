"""Search from one state: the shortest path to a state where something holds, or to the nearest violation.

It is the search on machine code, started at one state; it ends at the level with the first match. No view and no
symmetry merges states. A path that is found is replayed in plain Python. Before the result "unreachable", states are
cross-checked.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np

from ...backends.native import Watch
from ...backends.native.tiered_code import TieredCode
from ...errors import EverystateError
from ...ir.traced import Model, TracedProperty
from ...language import marks
from ...language.concrete import evaluate
from ...language.state import State
from ...results.result import Violation
from ...results.trace import Trace
from ..crosscheck.allowance import Allowance
from ..crosscheck.crosscheck import CrossCheck
from ..limits import Limits
from ..observer import Observer, Silent, counted
from ..replay import make_trace
from . import balance
from .exhaustive import Exhaustive
from .findings import Findings
from .history import History
from .report import Tracing

Cells = tuple[int, ...]
FOUND = "found"
THERE = "that state"
"""The name of the goal of a given state."""


@dataclass(frozen=True)
class NearestTraces:
    """The result of a search from a state: `trace` is a shortest trace from there; None where there is none.

    Where there is none and `stopped` is empty, all reachable states were visited: `distinct` states in `levels` levels.
    `outside` counts the successors that a constraint pruned, `failing` the steps that fail, `unjudged` the states in
    which evaluating the goal fails. `violation` is the violation at the end, if requested.
    """

    trace: Trace | None
    violation: Violation | None
    distinct: int
    levels: int
    stopped: str
    outside: int = 0
    cross_checked: int = 0
    failing: int = 0
    unjudged: int = 0


class GoalObserver(Findings):
    """Ends a search at its goal, or at any violation if so configured."""

    def ending(self, stop_early: bool) -> str:
        goal = any(k >= 0 and self.watches[k].kind == marks.REACHABLE for k in self.first_seen)
        return FOUND if goal or (stop_early and (self.violated or self.must_stop)) else ""


class Search(Exhaustive):
    """A search that begins at one state; `cancel` ends it, from any thread."""

    def __init__(
        self, model: Model, start: Cells, limits: Limits, observer: Observer | None = None, target: str = ""
    ) -> None:
        super().__init__(model, limits, observer or Silent(), target)
        self.start = start

    def cancel(self) -> None:
        """End as soon as can be."""
        self._halt("it was cancelled")

    def answer(self) -> NearestTraces:
        """Search until a match, the end of the state space, or a limit."""
        self.tiers = TieredCode(self.program, counted(self.observer, "compiling"))
        try:
            compiled = self.tiers.first()
            self.started = time.perf_counter()
            self._allocate(compiled)
            findings = GoalObserver(self.program, self.limits.deadlock)
            try:
                self._initial(compiled, findings)
                self.stopped = self.stopped or findings.ending(self.limits.stop_early)
                self._levels(findings)
            finally:
                self.pool.shutdown()
            found = self._answered(findings)
            self.tiers.wait()
            return found
        finally:
            self.tiers.close()

    def _beginning(self) -> Any:
        return np.array([self.model.layout.pack(self.start)], np.uint64)

    def _answered(self, findings: Findings) -> NearestTraces:
        history = History(self.compiled, self.store, self.levels, self.unfinished)
        balance.check(findings, history, 1, not self.stopped, dropping=False)
        trace, violation = self._way(findings, history), None
        if self.limits.stop_early and (findings.violated or findings.must_stop):
            known = [v for v in Tracing(self, findings, history).violations() if v.trace is not None]
            violation = min(known, key=lambda v: length(v.trace), default=None)
            trace = violation.trace if violation else None
        compared = 0 if trace is not None or self.stopped else self._cross_checked(history)
        stopped = "" if trace is not None else self.stopped
        counters, told = self.program.counters, enumerate(findings.watches)
        outside, failing = (int(findings.totals[at]) for at in (counters.outside, counters.faults))
        errors = (k for k, watch in told if watch.kind == "error" and self._is_goal(watch))
        unjudged = sum(int(findings.totals[at]) for k in errors for at in (counters.hits(k), counters.beyond(k)))
        return NearestTraces(
            trace, violation, history.distinct, history.depth, stopped, outside, compared, failing, unjudged
        )

    def _is_goal(self, watch: Watch) -> bool:
        return self.model.properties[watch.index].kind == marks.REACHABLE

    def _way(self, findings: Findings, history: History) -> Trace | None:
        """The path to the least state of the first level with the goal, replayed; None where there is none."""
        goals = [k for k in findings.first_seen if k >= 0 and findings.watches[k].kind == marks.REACHABLE]
        if not goals:
            return None
        level, spec = findings.first_seen[goals[0]], self.model.spec
        end = history.least_state(level, goals[0]) or self.model.layout.pack(self.start)
        chain = [self.model.layout.unpack(words) for words in history.behaviours([(level, end)])[0]]
        name = self.model.properties[findings.watches[goals[0]].index].name
        if name != THERE and not evaluate(spec, name, State(spec.domains, chain[-1])).value:
            reason = "it holds on symbols and not on values, at the end of the way that was found"
            raise EverystateError("E217", None, action=name, reason=reason)
        return make_trace(spec, self.target, chain)

    def _cross_checked(self, history: History) -> int:
        """Compare states of all levels with plain Python; returns how many."""
        self.observer.phase("cross-checking")
        check, known = CrossCheck(self.program, history), {p.name for p in self.model.properties}
        check.on_states = [p for p in check.on_states if p.name in known]
        check.on_steps = [p for p in check.on_steps if p.name in known]
        allowance = Allowance(self.limits.cross_check, self.limits.stopwatch, self.limits.cross_check_seconds)
        with allowance.running():
            for first, last in allowance.samples(history.distinct):
                for _, said in takewhile(lambda _: not allowance.over(), history.answers(first, last, {})):
                    check.compare_answer(said)
                if allowance.over():
                    break
        return check.count


def length(trace: Trace | None) -> int:
    """The steps of a trace, including the failing one at its end."""
    return trace.length + bool(trace.failing) if trace else 0


def for_violations(model: Model) -> Model:
    """The model with all that can be violated at one state or step; every state is distinct.

    There is no goal. A property that cannot be evaluated is a violation, so it is handled like a @view.
    """
    judged = (replace(p, kind=marks.VIEW) if p.kind == marks.REACHABLE else p for p in model.properties)
    return replace(model, properties=tuple(judged), antecedents=(), view=(), beginning=())


def for_state(model: Model, cells: Sequence[int]) -> Model:
    """The model with one state as its goal."""
    pool = model.pool
    parts = []
    for at, (cell, value) in enumerate(zip(model.cells, cells, strict=True)):
        wanted = pool.truth(bool(value)) if cell.boolean else pool.const(value)
        parts.append(pool.eq(pool.var(at, cell.lo, cell.hi, cell.boolean), wanted))
    goal = TracedProperty(marks.REACHABLE, THERE, "", pool.and_(parts), (), frozenset(range(len(cells))))
    kept = model.of_kind(marks.CONSTRAINT)
    return replace(model, properties=(*kept, goal), antecedents=(), view=(), beginning=())
