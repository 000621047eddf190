"""Why no fair behaviour breaks a property, in a form that each state can check on its own.

The search for fair components goes by rounds, and all of it can be written down as numbers of states: in which round a
state is left out, its component in each round, a height of components that no step climbs, and what each component
neglects. If every state agrees with its own steps, in plain Python, that this is so, then no fair behaviour can stay
anywhere: a behaviour that stays within some states for ever stays, by the heights, within one component, and there it
neglects what the component neglects, or stays out of the states that are left out. So a sample of states is asked, as
for everything else that a verdict rests on; where all states are asked, nothing of the search needs to be believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...language import marks
from .fairness import Assumed, Round, Steps

Move = tuple[int, frozenset[int], bool, bool]
"""A step of a state for plain Python: to which state, by which instances, whether it may be taken, and is wanted."""


@dataclass(frozen=True)
class Seen:
    """What plain Python says of a state: whether it begins to wait, and is wanted, what it enables, and its steps."""

    starts: bool
    wanted: bool
    enabled: frozenset[int]
    moves: Sequence[Move]


class Certificate:
    """The rounds of a search that has found nothing fair, with heights."""

    def __init__(self, region: Any, rounds: Sequence[Round], fair: Sequence[Assumed], groups: Sequence[Any]) -> None:
        self.region, self.rounds, self.fair = region, rounds, fair
        self.groups = [frozenset(group) for group in groups]
        self.heights = [heights(found) for found in rounds]

    def flaw(self, state: int, seen: Seen) -> str:
        """What a state has against it; empty when it agrees."""
        if seen.starts and not self.region[state]:
            return "it waits there, and is not among the states that were judged"
        if not self.region[state]:
            return ""
        moves = [move for move in seen.moves if move[2]]
        if any(move[0] < 0 or not self.region[move[0]] for move in moves):
            return "a step leads from there to a state that was not judged"
        for number in range(len(self.rounds)):
            if not self.rounds[number].left[state]:
                return ""
            said, done = self._round(number, state, seen, moves)
            if said or done:
                return said
        return "nothing says why a behaviour may not stay there"

    def _round(self, number: int, state: int, seen: Seen, moves: Sequence[Move]) -> tuple[str, bool]:
        """(what is wrong in one round, whether the state's component is out of the question)."""
        found, height = self.rounds[number], self.heights[number]
        here = found.here[state]
        reasons = [k for k, by in enumerate(found.neglected) if by[here]]
        unwanted = bool(found.unwanted[here])
        for target, instances, _, wanted in moves:
            if not found.left[target]:
                continue
            if found.here[target] != here:
                if height[target] >= height[state]:
                    return "a step leads from there to a component that leads back", False
            elif any(instances & self.groups[k] for k in reasons) or (unwanted and wanted):
                return "a step from there takes what is said to be neglected", False
        weak = [k for k in reasons if self.fair[k].strength == marks.WEAK]
        if (unwanted and seen.wanted) or not seen.enabled.issuperset(weak):
            return "what is said to be neglected is not enabled there", False
        if unwanted or weak:
            return "", True
        following = number + 1 < len(self.rounds) and self.rounds[number + 1].left[state]
        if not following and not seen.enabled.intersection(reasons):
            return "nothing that is fair is neglected there", False
        return "", not following


def heights(found: Round) -> Any:
    """Of each node that is left how long a way is from its component through others."""
    labels, place = np.unique(found.here, return_inverse=True)
    steps: Steps = found.steps
    source, target = place[steps.source], place[steps.target]
    between = source != target
    source, target = source[between], target[between]
    order = np.argsort(target, kind="stable")
    source, ends = source[order], np.searchsorted(target[order], np.arange(len(labels) + 1))
    open_steps, height = np.bincount(source, minlength=len(labels)), np.zeros(len(labels), np.int64)
    front, now = np.flatnonzero(open_steps == 0), 0
    while len(front):
        height[front] = now
        into = source[_ranges(ends[front], ends[front + 1])]
        np.subtract.at(open_steps, into, 1)
        into = np.unique(into)
        front, now = into[open_steps[into] == 0], now + 1
    return height[place]


def _ranges(starts: Any, ends: Any) -> Any:
    """The numbers of several ranges, one after the other."""
    lengths = ends - starts
    offset = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) if len(starts) else starts
    return offset + np.arange(int(lengths.sum()))
