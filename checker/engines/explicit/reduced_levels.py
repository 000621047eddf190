"""Of which levels a reduced search asks each state for a stubborn set, and of which it takes all steps at once.

To ask takes several times as long as to take all steps. So where hardly any state has steps that may be left out, no
more states are asked; all steps of a state are a stubborn set, too, so `ir.stubborn` holds of any mixture. Later a
sample is asked, each time there are twice as many states, and where that has some to leave out all are asked again.

Whether states are asked is decided between levels, by what was counted and by the states: not by time, nor by the
number of workers.
"""

from __future__ import annotations

from collections.abc import Callable

ENOUGH = 1 << 14
"""States that are asked, at the least, before they tell whether to go on asking."""
FEW = 25
"""Where fewer than one of so many states has steps to leave out, asking is not worth while: `paxos`, with one of 22,
has a twentieth of its states less, `current/realistic`, with one of 55, has none less."""
SAMPLE = 256
"""States that are asked whether to begin again."""


class LevelDecisions:
    """What was decided of each level; `whole` are those of which no state was asked."""

    def __init__(self) -> None:
        self.whole: list[int] = []
        self._asking = True
        self._since, self._fewer, self._next = 0, 0, ENOUGH

    def begin(self, level: int, expanded: int, fewer: int, sample: Callable[[], tuple[int, int]]) -> bool:
        """Whether the states of a level are asked, when so many states were expanded before, and some steps left out
        of so many of them; `sample` asks some of that level: how many, and how many have steps to leave out."""
        if expanded >= self._next:
            asked, found = (expanded - self._since, fewer - self._fewer) if self._asking else sample()
            self._asking = found * FEW >= asked
            self._since, self._fewer = expanded, fewer
            self._next = expanded + ENOUGH if self._asking else 2 * expanded
        if not self._asking:
            self.whole.append(level)
        return self._asking
