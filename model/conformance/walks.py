"""Random walks: the model chooses, faults less often than anything else, and Kafka follows.

Walk number i of seed s is a function of (s, i) and the spec alone, so any walk can be taken again by itself. A walk
that aims (aim.py) depends on the walks before it, too.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ...checker.language.concrete import Step
from ...checker.language.declarations import ActionInstance
from ...checker.language.spec import Spec
from .aim import Aim
from .behaviour import is_fault
from .compare import SideBySide
from .stepping import NamedStepper

FAULTS = 0.15
"""How often a fault is tried before anything else."""


@dataclass(frozen=True)
class WalkShape:
    """The parameters of walks; they prefer steps whose rules were met fewer than `aim` times, 0: at random."""

    steps: int = 60
    seed: int = 0
    faults: float = FAULTS
    aim: int = 0


class Walker:
    """Takes walks through one spec."""

    def __init__(self, spec: Spec, course: WalkShape, aim: Aim | None = None) -> None:
        self.spec, self.course, self.aim = spec, course, aim
        if aim is not None:
            aim.in_vain = 0
        self.usual = [[i for i in spec.instances if not is_fault(spec, i.name)]]
        names = dict.fromkeys(i.name for i in spec.instances if is_fault(spec, i.name))
        self.faulty = [[i for i in spec.instances if i.name == name] for name in names]
        """By kind, so that a kind which can happen in few places only is as likely as the others."""
        names = dict.fromkeys(i.name for i in self.usual[0])
        self.kinds = [*self.faulty, *([i for i in self.usual[0] if i.name == name] for name in names)]

    def walk(self, number: int, sides: SideBySide) -> None:
        """Take a walk; it ends at its maximum length, where nothing is enabled, at a full log, or at a difference."""
        dice = random.Random(f"{self.course.seed} {number}")
        for _ in range(self.course.steps):
            if sides.difference is not None:
                return
            step = self._next(sides, dice) if sides.model.goes_on() else None
            if step is None:
                return
            sides.take(step)
            if self.aim is not None:
                self.aim.note(sides)

    def _next(self, sides: SideBySide, dice: random.Random) -> Step | None:
        model, chosen = sides.model, None
        if self.aim is not None and self.aim.is_taken(dice):
            likely = model.likely(dice)
            found = (self._any(model, [each for each in kind if likely(each)], dice) for kind in self.kinds)
            steps = [step for step in found if step is not None]
            chosen = self.aim.choose(sides, dice.sample(steps, len(steps)))
        return chosen or self._step(model, dice)

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
