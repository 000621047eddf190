"""What explicit search knows about reachable states, for inductive proofs: whether a state is reachable."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir.traced import Model
from ..expansion import Expansion
from ..explicit.exhaustive import Exhaustive
from ..explicit.store import Ranges
from ..limits import Limits
from ..observer import Observer

STEPS, SHORT, WALKS = 100, 20, 20
"""The length of a random walk, and of each of several short ones from one state."""
ENOUGH = 200_000
"""States that are explored at most: a second or two."""


class Explored:
    """The states that a search of limited size has visited."""

    def __init__(self, model: Model, deadlock: bool, observer: Observer, most: int = ENOUGH) -> None:
        self.model = model
        self.search = Exhaustive(model, Limits(max_states=most, deadlock=deadlock), observer)
        self.result = self.search.run()
        self.complete = not self.search.stopped

    @property
    def packed(self) -> Any:
        """The packed words of all states, a row each."""
        return self.search.store.rows([found for level in self._levels for found in level])

    @property
    def _levels(self) -> list[Ranges]:
        """The levels, and the states of an unfinished one after the last."""
        return [*self.search.levels, self.search.unfinished]

    def columns(self, most: int) -> Any:
        """The cells of a limited number of states, a row each."""
        rows = self.packed
        return self._cells(rows[:: max(1, len(rows) // most)])

    def sample(self, most: int) -> Any:
        """The cells of about so many states; where not all were visited, half come from random walks, which get far."""
        if self.complete:
            return self.columns(most)
        rows = self.packed
        begins = rows[self._random.integers(len(rows), size=most // 2 // STEPS)]
        return np.concatenate([self.columns(most // 2), self._walked(begins, STEPS)])

    def around(self, cells: Sequence[int]) -> Any:
        """The cells of states on random walks from a state, itself among them."""
        here = np.array([self.model.layout.pack(cells)] * WALKS, np.uint64)
        return self._walked(here, SHORT)

    @functools.cached_property
    def _random(self) -> Any:
        return np.random.default_rng(0)

    @functools.cached_property
    def _expansion(self) -> Expansion:
        return Expansion(self.search.tiers.first())

    def _walked(self, states: Any, steps: int) -> Any:
        found = [states]
        for _ in range(steps):
            inside = self._expansion.inside(states)
            states, sources = self._expansion.expand(np.ascontiguousarray(states[inside]))[:2]
            if not len(states):
                break
            order = self._random.permutation(len(states))
            _, firsts = np.unique(sources[order], return_index=True)
            states = np.ascontiguousarray(states[order[firsts]])
            found.append(states)
        return self._cells(np.unique(np.concatenate(found), axis=0))

    def _cells(self, rows: Any) -> Any:
        fields = self.model.layout.fields
        cells = [
            ((rows[:, f.word] >> np.uint64(f.shift)) & np.uint64((1 << f.width) - 1)).astype(np.int64) for f in fields
        ]
        return np.stack([cell + f.lo for cell, f in zip(cells, fields, strict=True)], axis=1)

    def level_of(self, cells: Sequence[int]) -> int | None:
        """The level of a state (1: initial), None for a state that was not visited."""
        wanted = np.array(self.model.layout.pack(cells), np.uint64)
        for number, ranges in enumerate(self._levels, 1):
            if (self.search.store.rows(ranges) == wanted).all(axis=1).any():
                return number
        return None

    def told(self, cells: Sequence[int]) -> str:
        """A sentence on whether a state is reachable, as far as is known."""
        level = self.level_of(cells)
        if level is not None:
            return f"reachable, after {level - 1} step{'' if level == 2 else 's'}"
        number = self.result.distinct
        if self.complete:
            return f"not reachable: it is none of the {number:,} reachable states"
        return f"perhaps not reachable: it is none of the {number:,} states that were visited"
