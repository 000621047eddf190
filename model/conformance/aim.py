"""Walks that aim: of the steps that are possible, one is taken whose rules were met least.

A rule is met as in a report: its effect was seen at Kafka. Before a step is taken, the model foresees its effect; the
observations of Kafka are filled in where the model says nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...checker.language.concrete import Step
from .driver import UNTOLD

AIMED, SATED = 0.5, 0.05
"""How often a step aims; and how often it does when all that it can meet was met often enough for a while."""
PATIENCE = 100
"""So many aimed steps in a row without a rule that is still wanted count as a while."""


class Aim:
    """Prefers steps that show rules which were met fewer than `least` times, the rarest first.

    `exercised` gives the rules of a step (bridges.py). Counts go on from walk to walk and from target to target, so a
    walk depends on those before it.
    """

    def __init__(self, exercised: Callable[[Any, Any, Any, Any], Iterable[str]], least: int) -> None:
        self.exercised, self.least = exercised, least
        self.met: Counter[str] = Counter()
        self.in_vain = 0

    def is_taken(self, dice: random.Random) -> bool:
        """Whether the next step aims."""
        return dice.random() < (AIMED if self.in_vain < PATIENCE else SATED)

    def choose(self, sides: Any, steps: Sequence[Step]) -> Step | None:
        """The step that shows the rarest rule; None where each was met often enough."""
        rarest = [(min((self.met[rule] for rule in self.foreseen(sides, step)), default=self.least)) for step in steps]
        found = min(rarest, default=self.least)
        self.in_vain = 0 if found < self.least else self.in_vain + 1
        return steps[rarest.index(found)] if found < self.least else None

    def foreseen(self, sides: Any, step: Step) -> list[str]:
        """The rules that a step would show."""
        before = sides.seen[-1].kafka
        move, after = sides.model.foresee(step, sides.kafka.seen)
        told = {name: value for name, value in after.items() if value is not UNTOLD and value != UNTOLD}
        return list(self.exercised(sides.setup, move, before, {**before, **told}))

    def note(self, sides: Any) -> None:
        """Count what the last step has shown."""
        if len(sides.seen) > 1 and sides.seen[-1].kafka:
            before, after = sides.seen[-2].kafka, sides.seen[-1].kafka
            self.met.update(self.exercised(sides.setup, sides.moves[-1], before, after))
