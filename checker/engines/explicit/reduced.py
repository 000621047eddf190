"""Partial-order reduction: a search with fewer states and the same verdict; findings are reported as by a full search.

Traces of a reduced search are traces of the spec, but perhaps not the shortest. So after a violation a full search
follows, no deeper than the level of the reduced one, and its traces are reported. If it meets a limit first, the traces
of the reduced search are reported, with a warning.

`ir.stubborn` has the theorem. It covers invariants, goals, action properties, refinements, errors, deadlocks,
constraints and action constraints. It does not cover liveness, nor states identified by less than all their cells.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from ...backends.native import Program
from ...errors import EverystateError
from ...ir.stubborn import Reduction, reduction
from ...ir.traced import Model
from ...language import marks
from ...language.declarations import method_name, method_place
from ...language.symmetry import sets_of
from ...results.result import Result, Violation
from ..limits import Limits
from ..observer import Observer
from ..violations import FAULT, KINDS, called
from . import unreduced_walks
from .exhaustive import Exhaustive
from .findings import Findings
from .history import History
from .reduced_levels import SAMPLE, LevelDecisions
from .report import conclude

FOUND = "all that the reduced search has found was found again"


def planned(model: Model) -> Reduction:
    """The reduction of a model; E141 where it would not be sound."""
    spec, name = model.spec, type(model.spec).__name__
    for prop in spec.properties:
        if prop.kind in (*marks.TEMPORAL, marks.VIEW):
            view = "a view, which takes different states for one"
            reason = f"{prop.name} is {view if prop.kind == marks.VIEW else f'{_article(prop.kind)} property'}"
            place = method_place(getattr(type(spec), method_name(prop.name)))
            raise EverystateError("E141", place, spec=name, reason=reason)
    for values in sets_of(spec):
        raise EverystateError("E141", None, spec=name, reason=f"{values} are interchangeable values")
    return reduction(model)


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} `{kind}`"


class BoundedFullSearch(Exhaustive):
    """A full search that ends when it has found some violations, which occur at the latest on some level."""

    several = False

    def __init__(self, model: Model, limits: Limits, observer: Observer, target: str, wanted: dict[int, int]) -> None:
        super().__init__(model, limits, observer, target)
        self.wanted = wanted

    def _ending(self, findings: Findings) -> str:
        missing = [key for key in self.wanted if key not in findings.first_seen]
        expanded = len(self.levels) - 1
        if any(self.wanted[key] <= expanded for key in missing) and not findings.must_stop:
            raise lost(self.model)
        return super()._ending(findings) or ("" if missing else FOUND)


def lost(model: Model) -> EverystateError:
    """E505: one of two searches is wrong."""
    reason = "what a reduced search has found a full one does not find, as far from the beginning"
    return EverystateError("E505", None, spec=type(model.spec).__name__, reason=reason)


class ReducedSearch(Exhaustive):
    """A search that leaves out steps whose order does not matter."""

    several = False

    def __init__(self, model: Model, limits: Limits, observer: Observer | None, target: str, by: Reduction) -> None:
        super().__init__(model, limits, observer, target)
        self.program = Program(model, by)
        self.again: Result | None = None
        self.cut = ""
        self.asking = LevelDecisions()

    def _begin_level(self, findings: Findings) -> deque[tuple[int, int]]:
        chunks = super()._begin_level(findings)
        counters, level = self.program.counters, len(self.levels)
        expanded, fewer = self._counted(counters.expanded), self._counted(counters.reduced)
        asked = self.asking.begin(level, expanded, fewer, self._sample)
        for worker in self.workers:
            worker.set("asking", int(asked))
        return chunks

    def _sample(self) -> tuple[int, int]:
        """How many of a sample of the last level's states have steps to leave out: (sampled, with omissions)."""
        states = History(self.compiled, self.store, self.levels).least(len(self.levels), SAMPLE)
        beside = np.zeros(self.program.counters.room, np.uint64)
        found = self.compiled.having_fewer(states.ctypes.data, len(states), beside.ctypes.data)
        return len(states), int(found)

    def _conclude(self, findings: Findings, initial: int, seconds: float, interrupted: bool) -> Result:
        def reported() -> list[Violation] | None:
            return None if interrupted else self._shortest(findings)

        if not self.stopped:
            unreduced_walks.check(findings, History(self.compiled, self.store, self.levels))
        whole = self.asking.whole
        found = conclude(self, findings, initial, seconds, interrupted, reported=reported, whole=whole)
        details = {
            "reduction": {
                "states_with_steps_left_out": int(findings.totals[self.program.counters.reduced]),
                "levels_searched_whole": len(whole),
                "searched_again": _size(self.again),
            }
        }
        warned = [f"a full search for shorter traces ended early: {self.cut}"] if self.cut else []
        return replace(found, remarks=(*warned, *found.remarks), details=details)

    def _shortest(self, findings: Findings) -> list[Violation] | None:
        """The violations as a full search reports them; None where it meets a limit."""
        seen = findings.first_seen
        wanted = {key: seen[key] for key in seen if key < 0 or findings.watches[key].kind in KINDS}
        limits, names = self._left(), {called(self.program, key) for key in wanted}
        search = BoundedFullSearch(self.model, limits, self.observer, self.target, wanted)
        self.observer.phase("searching again for the shortest traces")
        self.again = search.run()
        if search.stop.is_set():
            self.cut = self.again.stopped
            return None
        found = list(self.again.violations)
        reported = {violation.property for violation in found}
        failed = called(self.program, FAULT) in reported
        if failed and FAULT not in wanted and not self.stopped:
            raise lost(self.model)
        if not failed and not limits.stop_early and not names <= reported:
            raise lost(self.model)
        return found

    def _left(self) -> Limits:
        """The limits of the search that follows; the store of this one is still needed."""
        given = self.limits.max_memory
        return self.limits if given is None else replace(self.limits, max_memory=max(1, given - self.store.bytes))


def _size(result: Result | None) -> dict[str, Any] | None:
    if result is None:
        return None
    seconds = round(result.seconds, 6)
    return {
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "seconds": seconds,
    }


def check(model: Model, limits: Limits | None = None, observer: Observer | None = None, target: str = "") -> Result:
    """Search a reduced space: the verdict is that of `exhaustive.check`, the counts are smaller. E141 where soundness
    is not known."""
    return ReducedSearch(model, limits or Limits(), observer, target, planned(model)).run()
