"""The state graph of a finished search, as arrays: what temporal properties are judged on.

States are numbered by level, and within a level by their packed words; so numbers, and every choice of the least of
some, do not depend on who found a state when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...language.fairness import Disjunction
from ..hashing import digests
from ..observer import unheard

Steps = Callable[[Any], tuple[Any, Any, Any]]
"""From rows of states: (successors, positions of their predecessors, numbers of the action instances)."""
BLOCK = 1 << 12
BYTES_PER_STEP, BYTES_PER_STATE = 64, 96
"""Memory that judging takes at most. A ring with 0.8 million states and 5 million steps took 60 % of it."""


@dataclass(frozen=True)
class Graph:
    """States and the steps between them that change something, ordered by source.

    `states` has a row for each state, `level` its level (1 for initial states). Step i leads from `source[i]` to
    `target[i]` by the action instance `action[i]`. `enabled` says of everything fair in which states it can change
    something, beyond the edge of a constraint too. `steps` are all steps that were taken for it, and those of them that
    lead to none of its states.
    """

    states: Any
    level: Any
    source: Any
    target: Any
    action: Any
    enabled: list[Any]
    steps: tuple[int, int]


class Numbers:
    """Finds the numbers of states."""

    def __init__(self, states: Any) -> None:
        self.states, keys = states, digests(states)[:, 0]
        self.order = np.argsort(keys, kind="stable")
        self.keys = keys[self.order]

    def of(self, rows: Any) -> Any:
        """The number of the state in each row, -1 where it is none of ours."""
        keys, found = digests(rows)[:, 0], np.full(len(rows), -1, np.int64)
        place, left = np.searchsorted(self.keys, keys), np.arange(len(rows))
        while len(left):
            left = left[place[left] < len(self.keys)]
            left = left[self.keys[place[left]] == keys[left]]
            number = self.order[place[left]]
            same = (self.states[number] == rows[left]).all(axis=1)
            found[left[same]] = number[same]
            left = left[~same]
            place[left] += 1
        return found


def build(
    levels: Iterable[Any],
    steps: Steps,
    fair: Sequence[Disjunction],
    block: int = BLOCK,
    told: Callable[[int, int], None] = unheard,
) -> Graph:
    """The graph over the states of some levels, each an array of rows; `steps` gets so many of them at a time.

    `told` hears of how many states the steps are known.
    """
    ordered = [rows[np.lexsort(rows.T[::-1])] for rows in levels]
    states = np.concatenate(ordered)
    level = np.repeat(np.arange(1, len(ordered) + 1), [len(rows) for rows in ordered])
    numbers, parts = Numbers(states), []
    enabled = [np.zeros(len(states), bool) for _ in fair]
    taken = outside = 0
    for start in range(0, len(states), block):
        told(start, len(states))
        successors, sources, actions = steps(states[start : start + block])
        target, source = numbers.of(successors), sources.astype(np.int64) + start
        taken, outside = taken + len(target), outside + int((target < 0).sum())
        moves = target != source
        for one, where in zip(fair, enabled, strict=True):
            where[source[moves & np.isin(actions, one.instances)]] = True
        kept = moves & (target >= 0)
        parts.append((source[kept], target[kept], actions[kept].astype(np.int64)))
    source, target, action = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return Graph(states, level, source, target, action, enabled, (taken, outside))
