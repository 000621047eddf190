"""Expansion: expands stored states again, by blocks, to answer queries about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..backends.native import Compiled
from ..backends.native.interface import BLOCK, large
from ..backends.native.program import Group
from ..ir.traced import Model
from ..language.declarations import ActionInstance
from .path_notes import PathNotes

Words = tuple[int, ...]
Found = dict[Any, Words]
"""Answers of a query: by key, the least packed words found."""
ROWS = 4096


class Expansion:
    """Expands stored states again and answers queries about a part of a level.

    Queries get blocks of states. The answer for a whole level is `merged` from those for its parts, in any partition.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.program = compiled, compiled.program
        self.rows = max(1, min(ROWS, (1 << 22) // (self.program.most_successors * 8 * self.program.words)))
        capacity = self.rows * self.program.most_successors
        self._out = np.empty((capacity, self.program.words), np.uint64)
        self._actions, self._sources = np.empty(capacity, np.uint16), np.empty(capacity, np.uint32)
        whole = np.zeros(self.program.counters.room, np.uint64)
        self.counters, self.notes = whole[: self.program.counters.size], PathNotes(whole, self.program.counters)
        written = (self._out, self._actions, self._sources, self.counters)
        self._written = [array.ctypes.data for array in written]

    def parts(self, states: Any) -> Iterator[Any]:
        """Some states in blocks that fit into the buffers of `expand`."""
        for at in range(0, len(states), self.rows):
            yield states[at : at + self.rows]

    def expand(self, block: Any) -> tuple[Any, Any]:
        """(successors, positions of their predecessors in the block)."""
        count = self.compiled.expand(block.ctypes.data, len(block), *self._written)
        return self._out[:count], self._sources[:count]

    def expand_instances(self, block: Any) -> tuple[Any, Any, Any]:
        """(successors, positions of their predecessors in the block, numbers of the action instances)."""
        most, count, size = BLOCK if large(self.program) else self.rows, 0, 8 * self.program.words
        states, (out, actions, sources, counters) = block.ctypes.data, self._written
        for at in range(0, len(block), most):
            written = out + count * size, actions + count * 2, sources + count * 4, counters
            found = self.compiled.expand_instances(states + at * size, min(most, len(block) - at), *written)
            self._sources[count : count + found] += np.uint32(at)
            count += found
        return self._out[:count], self._sources[:count], self._actions[:count]

    def conditions(self, kind: str, group: int, states: Any, before: Any = None, sources: Any = None) -> Any:
        """For each state, or step, a mask of the conditions of temporal properties of a group that hold."""
        return self._flags(self.compiled.conditions(kind, group), states, before, sources)

    @property
    def faults(self) -> int:
        """How often an action has failed in all expansions so far."""
        return int(self.counters[self.program.counters.faults])

    def actions(self, positions: Any) -> Any:
        """The actions that led to the successors at some positions of the last expansion."""
        return self._actions[positions]

    def inside(self, states: Any) -> Any:
        """Where every constraint holds, as an array of booleans."""
        states, found = np.ascontiguousarray(states), np.zeros(len(states), np.uint64)
        self.compiled.inside_states(states.ctypes.data, len(states), found.ctypes.data)
        return found == 1

    def keys(self, states: Any) -> Any:
        """The key that identifies each state, a row each; only with a view."""
        found = np.zeros((len(states), self.program.key_words), np.uint64)
        self.compiled.keys(np.ascontiguousarray(states).ctypes.data, len(states), found.ctypes.data)
        return found

    def failing(self, states: Any) -> Any:
        """In which states an action fails, as an array of booleans."""
        return np.array([self._fails(states[i : i + 1]) for i in range(len(states))], bool)

    def flags(self, watch: int, states: Any, before: Any = None, sources: Any = None) -> Any:
        """Where a watch holds, as an array of booleans."""
        function, bit = self.compiled.flags(watch)
        return _bit(self._flags(function, states, before, sources), bit)

    def _flags(self, function: Any, states: Any, before: Any, sources: Any) -> Any:
        states = np.ascontiguousarray(states)
        found = np.zeros(len(states), np.uint64)
        extra = [0 if a is None else a.ctypes.data for a in (before, sources)]
        function(states.ctypes.data, *extra, len(states), found.ctypes.data)
        return found

    def judged(
        self, groups: Iterable[Group], states: Any, before: Any = None, sources: Any = None
    ) -> Iterator[tuple[int, Any]]:
        """(watch, where it holds) for each watch of some groups that holds in some state, or on some step."""
        for group in groups:
            function, _ = self.compiled.flags(group.watches[0])
            flags = self._flags(function, states, before, sources)
            if flags.any():
                for bit, watch in enumerate(group.watches):
                    holds = _bit(flags, bit)
                    if holds.any():
                        yield watch, holds

    # -- queries -------------------------------------------------------------------------------------------

    def holding(self, blocks: Iterable[Any], watch: int) -> Found:
        """The least state in which a watch holds."""
        return _least(block[self.flags(watch, block)] for block in blocks)

    def holding_outside(self, blocks: Iterable[Any], watch: int) -> Found:
        """The least successor outside a constraint in which a watch holds."""
        outside = (self._outside(block) for block in blocks)
        return _least(states[self.flags(watch, states)] for states in outside)

    def _outside(self, block: Any) -> Any:
        states, _ = self.expand(block)
        return states[~self.inside(states)]

    def steps(self, blocks: Iterable[Any], watch: int) -> Found:
        """The least step in which a step watch holds: the words of both states."""

        def rows() -> Iterator[Any]:
            for block in blocks:
                states, sources = self.expand(block)
                hit = self.flags(watch, states, block, sources)
                yield np.hstack([block[sources[hit]], states[hit]])

        return _least(rows())

    def stuck(self, blocks: Iterable[Any]) -> Found:
        """The least state without any successor."""

        def rows() -> Iterator[Any]:
            for block in blocks:
                _, sources = self.expand(block)
                alone = np.ones(len(block), bool)
                alone[sources] = False
                found = block[alone]
                yield found[[not self._fails(found[i : i + 1]) for i in range(len(found))]] if len(found) else found

        return _least(rows())

    def faulty(self, blocks: Iterable[Any]) -> Found:
        """The least state in which an action fails."""
        return _least(rows for block in blocks for rows in self._faulty(block))

    def _fails(self, block: Any) -> bool:
        before = self.faults
        self.expand(np.ascontiguousarray(block))
        return self.faults > before

    def _faulty(self, block: Any) -> Iterator[Any]:
        if not self._fails(block):
            return
        if len(block) == 1:
            yield block
            return
        half = len(block) // 2
        yield from self._faulty(block[:half])
        yield from self._faulty(block[half:])

    def predecessors(self, blocks: Iterable[Any], targets: set[Words]) -> Found:
        """For each state of `targets` that is a successor: its least predecessor."""
        best: Found = {}
        for block in blocks:
            states, sources = self.expand(block)
            for target in targets:
                hits = np.flatnonzero(states[:, 0] == np.uint64(target[0]))
                for word in range(1, self.program.words):
                    hits = hits[states[hits, word] == np.uint64(target[word])]
                for words in _least([block[sources[hits]]]).values():
                    best = merged([best, {target: words}])
        return best


def by_instance(model: Model) -> Model:
    """The model with one action for each instance, named by its number, so that steps identify their instances."""
    actions = [replace(a, instance=ActionInstance(str(number), ())) for number, a in enumerate(model.actions)]
    return replace(model, actions=tuple(actions))


def _bit(flags: Any, bit: int) -> Any:
    return (flags >> np.uint64(bit)) & np.uint64(1) == 1


LEAST = None
"""The key of an answer that has only one value."""


def merged(answers: Iterable[Found]) -> Found:
    """The answer for a whole, from the answers for its parts."""
    best: Found = {}
    for answer in answers:
        for key, words in answer.items():
            best[key] = min(words, best.get(key, words))
    return best


def _least(candidates: Iterable[Any]) -> Found:
    """The least row of some arrays, comparing word by word."""
    best: Found = {}
    for rows in candidates:
        if len(rows):
            order = np.lexsort([rows[:, w] for w in reversed(range(rows.shape[1]))])
            best = merged([best, {LEAST: tuple(int(v) for v in rows[order[0]])}])
    return best
