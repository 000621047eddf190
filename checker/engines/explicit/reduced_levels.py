"""Decides for which levels a reduced search computes stubborn sets, and for which it takes all steps.

A stubborn set takes several times as long as all steps. So where hardly any state has steps to leave out, no more
stubborn sets are computed; the set of all steps is stubborn too, so `ir.stubborn` holds for any mixture. Each time the
number of states has doubled, a sample is tried again.

The decision is made between levels, from the counters and the states: it does not depend on time or on the number of
workers.
"""

from __future__ import annotations

from collections.abc import Callable

ENOUGH = 1 << 14
"""The minimum number of states with a stubborn set before the decision is made."""
FEW = 25
"""Below one of so many states with steps to leave out, a reduction does not pay: `paxos`, with one of 22, has a
twentieth fewer states, `current/realistic`, with one of 55, has none fewer."""
SAMPLE = 256
"""States in the sample for another attempt."""


class LevelDecisions:
    """The decision for each level; `whole` are the levels in which all steps are taken."""

    def __init__(self) -> None:
        self.whole: list[int] = []
        self._asking = True
        self._since, self._fewer, self._next = 0, 0, ENOUGH

    def begin(self, level: int, expanded: int, fewer: int, sample: Callable[[], tuple[int, int]]) -> bool:
        """Whether to compute stubborn sets for a level, after so many expanded states and left-out steps in some of
        them; `sample` tries some states of the level: how many were tried, and how many have steps to leave out."""
        if expanded >= self._next:
            asked, found = (expanded - self._since, fewer - self._fewer) if self._asking else sample()
            self._asking = found * FEW >= asked
            self._since, self._fewer = expanded, fewer
            self._next = expanded + ENOUGH if self._asking else 2 * expanded
        if not self._asking:
            self.whole.append(level)
        return self._asking
