"""Random walks: the model chooses, faults less often than anything else, and Kafka follows.

Walk number i of seed s is a function of (s, i) and the spec alone, so any walk can be taken again by itself.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ...checker.language.concrete import Step
from ...checker.language.declarations import ActionInstance
from ...checker.language.spec import Spec
from .behaviour import is_fault
from .compare import SideBySide
from .stepping import NamedStepper

FAULTS = 0.15
"""How often a fault is tried before anything else."""


@dataclass(frozen=True)
class WalkShape:
    """The parameters of walks."""

    steps: int = 60
    seed: int = 0
    faults: float = FAULTS


class Walker:
    """Takes walks through one spec."""

    def __init__(self, spec: Spec, course: WalkShape) -> None:
        self.spec, self.course = spec, course
        self.usual = [[i for i in spec.instances if not is_fault(spec, i.name)]]
        names = dict.fromkeys(i.name for i in spec.instances if is_fault(spec, i.name))
        self.faulty = [[i for i in spec.instances if i.name == name] for name in names]
        """By kind, so that a kind which can happen in few places only is as likely as the others."""

    def walk(self, number: int, sides: SideBySide) -> None:
        """Take a walk; it ends at its maximum length, where nothing is enabled, at a full log, or at a difference."""
        dice = random.Random(f"{self.course.seed} {number}")
        for _ in range(self.course.steps):
            if sides.difference is not None:
                return
            step = self._step(sides.model, dice) if sides.model.goes_on() else None
            if step is None:
                return
            sides.take(step)

    def _step(self, model: NamedStepper, dice: random.Random) -> Step | None:
        first = dice.random() < self.course.faults
        faulty = dice.sample(self.faulty, len(self.faulty))
        likely = model.likely(dice)
        for kind in (*faulty, *self.usual) if first else (*self.usual, *faulty):
            found = self._any(model, [instance for instance in kind if likely(instance)], dice)
            if found is not None:
                return found
        return None

    def _any(self, model: NamedStepper, kind: Sequence[ActionInstance], dice: random.Random) -> Step | None:
        for instance in dice.sample(kind, len(kind)):
            steps = [step for step in model.steps(instance) if model.fits(step)]
            if steps:
                return dice.choice(steps)
        return None
