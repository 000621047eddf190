"""What explicit search knows about reachable states, for inductive proofs: whether a state is reachable."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backends.native.initial_states import InitialStates
from ...backends.smt.limits import Clock, resident
from ...errors import EverystateError
from ...ir.traced import Model
from ...results.text import count
from ..expansion import Expansion
from ..explicit.exhaustive import Exhaustive
from ..explicit.store import Ranges
from ..limits import Deadline, Limits
from ..observer import Observer

if TYPE_CHECKING:
    from .search import Question

STEPS, SHORT, WALKS = 100, 20, 20
"""The length of a random walk, and of each of several short ones from one state."""
ENOUGH = 200_000
"""States that are explored at most: a second or two."""
LEAST = 1 << 28
"""Bytes that an exploration may take in any case; ENOUGH states take less."""


class _Exploration(Exhaustive):
    """A search of limited size that begins with a part of the initial states where these are too many."""

    def _beginning(self) -> Any:
        found, most = [np.zeros((0, self.program.words), np.uint64)], self.limits.max_states or ENOUGH
        try:
            for block in InitialStates(self.model).blocks(partial(self.observer.part, "initial values")):
                found.append(block[: most + 1 - sum(map(len, found))])
                if sum(map(len, found)) > most:
                    self._halt(f"the limit of {count(most, 'state')} is reached")
                elif self.limits.deadline is not None and self.limits.deadline.passed:
                    self._halt(self.limits.deadline.passed)
                if self.stopped:
                    break
        except EverystateError as error:
            if error.code != "E144":
                raise
            self._halt("there are too many combinations of initial values")
        if self.stopped:  # the cross-check would miss the others
            self.limits = replace(self.limits, cross_check=0)
        return np.concatenate(found)


class Explored:
    """The states that a search within limits has visited, not up to a view."""

    def __init__(self, model: Model, limits: Limits, observer: Observer) -> None:
        self.model = model
        self.search = _Exploration(replace(model, view=()), limits, observer)
        self.result = self.search.run()
        self.complete = not self.search.stopped and not self.result.interrupted

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
        rows = self.packed
        if self.complete or not len(rows):
            return self.columns(most)
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


def explored(model: Model, question: Question, clock: Clock, observer: Observer, most: int = ENOUGH) -> Explored:
    """The states that are explored within the limits of a question, at most so many."""
    deadline = None if clock.seconds is None else Deadline(max(0.0, clock.seconds - clock.elapsed))
    memory = None if question.memory is None else max(LEAST, question.memory - resident())
    limits = Limits(
        max_states=most,
        max_memory=memory,
        deadlock=question.deadlock,
        cross_check=question.cross_check,
        deadline=deadline,
    )
    return Explored(model, limits, observer)
