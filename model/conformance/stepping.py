"""Runs a spec by name in plain Python: the common base of the model's sides."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from ...checker.language.concrete import Step, StepFailed, attempts
from ...checker.language.concrete_machine import NarratedRun
from ...checker.language.declarations import ActionInstance
from ...checker.language.state import State
from .behaviour import NamedStep


class NamedStepper:
    """A spec in one state, stepped by name; subclasses define what is compared."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.state = spec.initial_states()[0]
        self.instances = {(instance.name, instance.arguments): instance for instance in spec.instances}
        self._steps: dict[ActionInstance, list[Step]] = {}
        self._unfit: set[str] = set()
        self.avoided: Counter[str] = Counter()
        """In how many states a step was possible that is not taken, by the reason."""

    def steps(self, instance: ActionInstance) -> list[Step]:
        """The steps of an action here; an error of the spec is raised."""
        if instance not in self._steps:
            self._steps[instance] = self.attempted(instance)
        return self._steps[instance]

    def attempted(self, instance: ActionInstance) -> list[Step]:
        """The steps of an action, tried here."""
        found = []
        for step in attempts(self.spec, self.state, instance, kind=NarratedRun):
            if isinstance(step, StepFailed):
                raise step
            found.append(step)
        return found

    def may(self, action: str) -> bool:
        """Whether an action is enabled, with any arguments."""
        return any(self.steps(instance) for instance in self.spec.instances if instance.name == action)

    def step_of(self, turn: NamedStep) -> Step | None:
        """The step of a name, with its choices if given; None where it is not enabled."""
        instance = self.instances.get((turn.action, turn.arguments))
        steps = self.steps(instance) if instance is not None else []
        return next((step for step in steps if step.choices == turn.choices), steps[0] if steps else None)

    def advance(self, step: Step) -> State:
        """Take a step; returns the state before it."""
        before, self.state = self.state, step.state
        self._steps.clear()
        self.avoided.update(self._unfit)
        self._unfit = set()
        return before

    def goes_on(self) -> bool:
        """Whether a walk may continue from here."""
        return True

    def likely(self, dice: random.Random) -> Callable[[ActionInstance], bool]:
        """Which actions are worth a try here."""
        return lambda instance: True

    def foresee(self, step: Step, seen: Any) -> tuple[Any, Any]:
        """The move of a step for Kafka, and the observables after it; the step is not taken."""
        twin: Any = self.twin()
        return twin.take(step), twin.observe(seen)

    def twin(self) -> NamedStepper:
        """Another one in the same state."""
        found = copy.copy(self)
        found._steps, found._unfit, found.avoided = {}, set(), Counter()
        return found

    def fits(self, step: Step) -> bool:
        """Whether the model represents Kafka after a step; if not, the step is not taken, and the reason is noted."""
        reason = self.misfit(step)
        if reason:
            self._unfit.add(reason)
        return not reason

    def misfit(self, step: Step) -> str:
        """Why the model does not represent Kafka after a step; empty where it does."""
        return ""
