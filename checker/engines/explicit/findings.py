"""Findings: the counters so far, and the level at which each thing was first seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ...backends.native import Compiled, Program
from ...results.verdict import ActionCoverage
from ..observer import Observer
from ..path_notes import Notes, TakenPath, merged
from ..violations import DEADLOCK, FAULT, KINDS, called


class SearchCounters(Protocol):
    """A part of a search with counters for all its work so far, and the paths that it took first."""

    @property
    def counters(self) -> Any: ...

    @property
    def notes(self) -> Notes: ...


class Findings:
    """The counters so far, and the level at which each thing was first seen."""

    def __init__(self, program: Program, deadlock: bool) -> None:
        self.program, self.watches = program, program.watches()
        self.deadlock = deadlock and not program.model.spec._ends
        self.totals = np.zeros(program.counters.size, np.uint64)
        self.first_seen: dict[int, int] = {}
        self.outside_states: Any = None
        self.beside = np.zeros(program.counters.size, np.uint64)
        self.paths: dict[int, TakenPath] = {}
        """The paths that were taken, by their numbers."""
        self._expanded = 0

    @property
    def must_stop(self) -> bool:
        """Whether an action failed: states beyond it have no meaning."""
        return FAULT in self.first_seen

    @property
    def violated(self) -> bool:
        """Whether anything is wrong so far."""
        return any(k < 0 or self.watches[k].kind in KINDS for k in self.first_seen)

    def ending(self, stop_early: bool) -> str:
        """Why a search ends early; empty when it continues."""
        if self.must_stop:
            return "an action failed; states beyond it are not defined"
        return "stopped at the first violation" if stop_early and self.violated else ""

    @property
    def steps(self) -> tuple[int, int]:
        """The number of all steps, and of those that led outside a constraint."""
        counters = self.program.counters
        outside = self.totals[counters.outside] - self.beside[counters.outside]
        return int(self.totals[counters.generated]), int(outside)

    def hits(self, watch: int) -> int:
        """In how many stored states (or steps) a watch held."""
        return int(self.totals[self.program.counters.hits(watch)])

    def beyond(self, watch: int) -> bool:
        """Whether a watch held in a state outside a constraint."""
        return bool(self.totals[self.program.counters.beyond(watch)])

    def outside_initial(self, compiled: Compiled, states: Any) -> None:
        """Initial states outside a constraint are checked, though not explored."""
        self.outside_states = np.ascontiguousarray(states)
        self.beside[self.program.counters.outside] += np.uint64(len(states))
        if not len(states):
            return
        for k in range(len(self.program.state_watches)):
            hits = flags(compiled, k, self.outside_states)
            self.beside[self.program.counters.beyond(k)] += np.uint64(np.count_nonzero(hits))

    def level_done(
        self, parts: Sequence[SearchCounters], level: int, observer: Observer, expanding: bool = False
    ) -> None:
        """Process the counters after the initial states (level 1) or after expanding a level."""
        self.totals = np.sum([part.counters for part in parts], axis=0, dtype=np.uint64) + self.beside
        first, self._expanded = min(self._expanded + 1, level), level if expanding else level - 1
        for path, row in merged(part.notes.noted(self.paths) for part in parts).items():
            self.paths[path] = TakenPath(row, first, level)
        counters, states = self.program.counters, len(self.program.state_watches)
        for k in range(len(self.watches)):
            if k not in self.first_seen and (self.hits(k) or self.beyond(k)):
                self.first_seen[k] = level + 1 if expanding and k < states else level
                if self.watches[k].kind in KINDS:
                    observer.violation(called(self.program, k), self.first_seen[k])
        for key, counter, on in ((FAULT, counters.faults, True), (DEADLOCK, counters.deadlocks, self.deadlock)):
            if on and key not in self.first_seen and self.totals[counter]:
                self.first_seen[key] = level
                observer.violation(called(self.program, key), level)

    def news(self) -> Any:
        """The numbers of the counters that are still zero."""
        counters, on = self.program.counters, [(FAULT, self.program.counters.faults)]
        on += [(DEADLOCK, counters.deadlocks)] if self.deadlock else []
        found = [at for key, at in on if key not in self.first_seen]
        for k in range(len(self.watches)):
            if k not in self.first_seen:
                found += counters.hits(k), counters.beyond(k)
        return np.array(found, np.uint64)

    def masks(self) -> tuple[int, int]:
        """(groups of watches to evaluate on every new state, groups that are finished).

        While a watch has never held, it did not hold in the predecessor either, so an action that writes nothing it
        reads cannot make it hold. After a first violation, its states are counted one by one.
        """
        always = never = 0
        for g, group in enumerate(self.program.state_groups):
            kinds = [(self.watches[k].kind in KINDS, k in self.first_seen) for k in group.watches]
            always |= int(any(violates and seen for violates, seen in kinds)) << g
            never |= int(all(seen and not violates for violates, seen in kinds)) << g
        return always, never

    def coverage(self) -> dict[str, ActionCoverage]:
        """What each action did."""
        counters = self.program.counters
        return {
            name: ActionCoverage(
                *(int(self.totals[of(a)]) for of in (counters.enabled, counters.taken, counters.first))
            )
            for a, name in enumerate(self.program.action_names)
        }


def flags(compiled: Compiled, watch: int, states: Any) -> Any:
    function, bit = compiled.flags(watch)
    found = np.zeros(len(states), np.uint64)
    function(states.ctypes.data, 0, 0, len(states), found.ctypes.data)
    return (found >> np.uint64(bit)) & np.uint64(1) == 1
