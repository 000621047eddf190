"""Random walks through the model of transactions: the model chooses, faults less often than anything else.

Walk number i of seed s is a function of (s, i) and the spec alone, so any walk can be taken again by itself.
"""

from __future__ import annotations

import random

from ....checker.language.concrete import Step
from ....checker.language.declarations import ActionInstance
from ...transactions import KafkaTransactions
from ...transactions.records import ABORTING, COMMITTING
from ..behaviour import is_fault
from ..compare import SideBySide
from ..walks import Course


class TransactionWalker:
    """Takes walks through one spec."""

    def __init__(self, spec: KafkaTransactions, course: Course) -> None:
        self.spec, self.course = spec, course
        self.usual = [i for i in spec.instances if not is_fault(spec, i.name)]
        self.faulty = [i for i in spec.instances if is_fault(spec, i.name)]

    def walk(self, number: int, sides: SideBySide) -> None:
        """Take a walk; it ends after so many steps, where nothing is enabled, or at a difference."""
        dice = random.Random(f"{self.course.seed} {number}")
        for _ in range(self.course.steps):
            if sides.difference is not None:
                return
            step = self._step(sides, dice)
            if step is None:
                return
            sides.take(step)

    def _step(self, sides: SideBySide, dice: random.Random) -> Step | None:
        first = dice.random() < self.course.faults
        for kind in (self.faulty, self.usual) if first else (self.usual, self.faulty):
            found = self._any(sides, kind, dice)
            if found is not None:
                return found
        return None

    def _any(self, sides: SideBySide, kind: list[ActionInstance], dice: random.Random) -> Step | None:
        for instance in dice.sample(kind, len(kind)):
            steps = sides.model.steps(instance)
            if steps and not _is_left_out(sides, steps[0]):
                return dice.choice(steps)
        return None


def _is_left_out(sides: SideBySide, step: Step) -> bool:
    """Whether a record expires that was sent again, while its transaction is being ended: the model has no such bump.

    Kafka then marks the sequence as unresolved (C7.2), and bumps the epoch although it is ending already (T9.3).
    """
    if step.action.name != "deadline":
        return False
    given = dict(step.action.arguments)
    if sides.model.state.producer[given["session"]].status not in (COMMITTING, ABORTING):
        return False
    sent = [move.action for move in sides.moves if move.action in SENDS and move.arguments == given]
    return sent[-1:] == ["send_again"]


SENDS = ("send", "send_again")
