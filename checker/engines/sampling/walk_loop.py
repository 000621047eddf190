"""The walks of one thread: the memory in which machine code makes them (see backends/native/walking)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...backends.native import Compiled
from ...backends.native.interface import SIGHTING, VISITED, WALK, walk_block
from ...backends.native.program import Program
from ...language.spec import Spec
from ..memory import Region
from ..violations import DEADLOCK, FAULT, KINDS
from .sample import Sighting, WalkSettings, WalkSummary
from .sketch import MOST, Sketch

TABLE = 2 * MOST
"""Places in the table of the sample."""
FULL = TABLE * 7 // 8
"""Places of the table, at most, that are used."""
ROUND = 1 << 15
"""States that one call visits, about."""
WORD, HALF, SHORT, BYTE = np.uint64, np.uint32, np.uint16, np.uint8


class WalkThread:
    """Makes walks with code, from given initial states; `summary` is what they have seen so far."""

    def __init__(self, program: Program, spec: Spec, course: WalkSettings, seed: int, starts: Any) -> None:
        self.program, self._starts = program, np.ascontiguousarray(starts)
        self.watches, actions = program.watches(), len(program.action_names)
        self.block, self._kept = walk_block(program), list[Region]()
        words, block, room = program.words, self.block, program.counters.room
        successors = block * program.most_successors
        self._slots = self._array(len(WALK))
        self._set("starts", self._starts.ctypes.data)
        self._set("initial", len(self._starts))
        self._set("seed", seed)
        self._set("most", course.steps)
        self._set("deadlock", int(course.looks_for_deadlock(spec)))
        self._set("rounds", max(1, ROUND // block))
        for name in ("walks", "steps", "all", "inside", "picks"):
            self._give(name, block)
        for name in ("states", "before", "arrived", "columns", "out"):
            self._give(name, words * (successors if name == "out" else block))
        for name, size, kind in (
            ("actions", successors, SHORT),
            ("sources", successors, HALF),
            ("within", successors, BYTE),
            ("failing", block, BYTE),
            ("outside_now", block, BYTE),
        ):
            self._give(name, size, kind)
        self._give("flags", len(self.watches) * block // 64)
        self._give("unused_counters", room)
        self._give("violations", len(self.watches))[:] = [watch.kind in KINDS for watch in self.watches]
        self._counters, self._taken = self._give("counters", room), self._give("taken", actions)
        self._sightings = self._give("sightings", (len(self.watches) + 2) * len(SIGHTING)).reshape(-1, len(SIGHTING))
        self._table = self._give("table", TABLE * len(VISITED)).reshape(-1, len(VISITED))
        self._set("mask", TABLE - 1)
        self._set("room", FULL)
        self._sample = Sketch()
        self._set("highest", self._sample.highest)

    def _array(self, size: int, kind: Any = WORD) -> Any:
        self._kept.append(Region(max(1, size) * np.dtype(kind).itemsize))
        return self._kept[-1].array(kind)[:size]

    def _give(self, name: str, size: int, kind: Any = WORD) -> Any:
        array = self._array(size, kind)
        self._set(name, self._kept[-1].address)
        return array

    def _get(self, name: str) -> int:
        return int(self._slots[WALK[name]])

    def _set(self, name: str, value: int) -> None:
        self._slots[WALK[name]] = value

    @property
    def generated(self) -> int:
        """States on all walks so far."""
        return self._get("generated")

    @property
    def walked(self) -> int:
        """Walks that have ended."""
        return self._get("walked")

    @property
    def waits(self) -> bool:
        """Whether it needs other walks to begin."""
        return self._get("next") == self._get("end") and not self._get("last")

    @property
    def done(self) -> bool:
        """Whether all walks have ended."""
        return bool(self._get("last")) and self._get("next") == self._get("end") and not self._get("size")

    def give(self, numbers: range | None) -> None:
        """The numbers of walks that begin now; None for no others."""
        self._set("last", int(numbers is None))
        if numbers is not None:
            self._set("next", numbers.start)
            self._set("end", numbers.stop)

    def walk(self, code: Compiled) -> None:
        """Walk on for a while."""
        code.walk(self._slots.ctypes.data)
        if self._get("used") + self.block > FULL:
            self._prune()

    def _prune(self) -> None:
        """Move the states of the table to the sample, which keeps some of them."""
        used = self._table[self._table[:, VISITED["visits"]] != 0]
        self._sample.add(*(used[:, VISITED[name]] for name in ("digest", "visits", "walk")))
        self._table[:] = 0
        self._set("used", 0)
        self._set("highest", self._sample.highest)

    @property
    def seen(self) -> dict[int, int]:
        """The keys of the violations so far, with the least number of steps after which a walk met each."""
        at = SIGHTING["shortest_step"]
        return {key: sighting[at] for key, sighting in self._found() if self._is_violation(key)}

    def _is_violation(self, key: int) -> bool:
        return key < 0 or self.watches[key].kind in KINDS

    def _found(self) -> Iterator[tuple[int, Any]]:
        """What walks have met, by the keys of watches and of errors."""
        keys = [*range(len(self.watches)), FAULT, DEADLOCK]
        for number in np.flatnonzero(self._sightings[:, SIGHTING["times"]]).tolist():
            yield keys[number], self._sightings[number].tolist()

    def summary(self) -> WalkSummary:
        """What the walks have seen so far."""
        self._prune()
        counters, names = self.program.counters, self.program.action_names
        made = WalkSummary(visited=self._sample)
        for name in ("generated", "outside", "stuck", "pruned", "longest"):
            setattr(made, name, self._get(name))
        made.walks = self.walked
        made.enabled_in((name, int(self._counters[counters.enabled(a)])) for a, name in enumerate(names))
        made.taken = {name: int(n) for name, n in zip(names, self._taken, strict=True) if n}
        for key, (times, walk, step, steps, by) in self._found():
            if self._is_violation(key):
                made.found[key] = Sighting((walk, step), times, (steps, by))
            else:
                made.reached.add(key)
        return made
