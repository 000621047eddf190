"""Why no fair behaviour breaks a property, in a form that each state can check on its own.

The search for fair components goes by rounds, and all of it can be written down as numbers of states: in which round a
state is left out, its component in each round, and what each component neglects. No step leads to a component with a
greater number. If every state agrees with its own steps, in plain Python, that this is so, then no fair behaviour can
stay anywhere: a behaviour that stays within some states for ever stays, by the numbers, within one component, and
there it neglects what the component neglects, or stays out of the states that are left out. So a sample of states is
asked, as for everything else that a verdict rests on; where all states are asked, nothing of the search needs to be
believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...language import marks
from .assumptions import BITS, Assumptions
from .fairness import Round

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
    """The rounds of a search that has found nothing fair."""

    def __init__(self, rounds: Sequence[Round], fair: Assumptions, groups: Sequence[frozenset[int]]) -> None:
        self.region, self.rounds, self.fair, self.groups = rounds[0].left, rounds, fair.fair, groups

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
        found = self.rounds[number]
        here = found.here[state]
        mask = sum(int(word) << BITS * k for k, word in enumerate(found.neglected[:, here]))
        reasons, unwanted = [k for k in range(len(self.fair)) if mask >> k & 1], bool(mask >> len(self.fair))
        for target, instances, _, wanted in moves:
            if not found.left[target]:
                continue
            if found.here[target] > here:
                return "a step leads from there to a component that leads back", False
            same = found.here[target] == here
            if same and (any(instances & self.groups[k] for k in reasons) or (unwanted and wanted)):
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
