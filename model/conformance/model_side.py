"""The model as a driver: its concrete run, one step at a time, and its state read as Kafka's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...checker.language.concrete import Step, StepFailed, ValuesFrame, attempts
from ...checker.language.declarations import ActionInstance
from ...checker.language.state import State
from ..kafka import KafkaProducer
from ..records import APPENDED, RETRIABLE
from .behaviour import Turn
from .driver import Move, Observation, Setup
from .mapping import OBSERVABLES, Observable
from .numbers import Numbers
from .view import NEXT, View

ANSWERING = ("handle", "find_too_large")
"""The actions in which a log may answer."""


class ModelSide:
    """The model in one state."""

    def __init__(self, spec: KafkaProducer) -> None:
        self.spec, self.numbers = spec, Numbers(spec)
        self.state = spec.initial_states()[0]
        self.instances = {(instance.name, instance.arguments): instance for instance in spec.instances}
        self._steps: dict[ActionInstance, list[Step]] = {}
        self.own = [instance for instance in spec.instances if instance.name in NEXT]

    def setup(self) -> Setup:
        """How Kafka begins."""
        spec = self.spec
        return Setup(
            batches=spec.batches,
            warm=spec.warm,
            partitions=spec.partitions,
            replicas=spec.replicas,
            max_in_flight=spec.max_in_flight,
            retries=spec.retries,
            min_insync=spec.min_insync,
            splits=bool(spec.too_large),
            first_epoch=self.numbers.first_epoch,
            first_sequence=self.numbers.first_sequence,
            attempts_told=1 if spec.retries < 0 else spec.retries,
        )

    def steps(self, instance: ActionInstance) -> list[Step]:
        """The steps of an action here; an error of the spec is raised."""
        if instance not in self._steps:
            found = []
            for step in attempts(self.spec, self.state, instance):
                if isinstance(step, StepFailed):
                    raise step
                found.append(step)
            self._steps[instance] = found
        return self._steps[instance]

    def may(self, action: str) -> bool:
        """Whether an action is enabled, with any arguments."""
        return any(self.steps(instance) for instance in self.spec.instances if instance.name == action)

    def step_of(self, turn: Turn) -> Step | None:
        """The step of a turn, with its choices where there are such; None where it is not enabled."""
        instance = self.instances.get((turn.action, turn.arguments))
        steps = self.steps(instance) if instance is not None else []
        return next((step for step in steps if step.choices == turn.choices), steps[0] if steps else None)

    def take(self, step: Step) -> Move:
        """Take a step; what it is for Kafka."""
        before, self.state = self.state, step.state
        self._steps.clear()
        return move_of(self.spec, before, step)

    def observe(self, seen: Sequence[Observable] = OBSERVABLES) -> Observation:
        """Some observables."""
        view = self.view()
        with self.spec.reading(ValuesFrame(self.spec, view.values)):
            return {name: value for each in seen for name, value in each.model(view)}

    def view(self) -> View:
        """The state as it is read."""
        enabled = [instance for instance in self._next() if self.steps(instance)]
        return View(self.spec, self.numbers, self.state, enabled)

    def _next(self) -> list[ActionInstance]:
        """What may come next without a fault; of a connection its oldest answer and its oldest request.

        Where the log is full a broker's next step is outside of the model.
        """
        found, fits = list(self.own), self.spec.holds("LogFits", self.state)
        for broker, link in enumerate(self.state.connection):
            requests = list(link.requests)
            places = [("read_answer", 0)] if link.handled else []
            places += [("handle", link.handled)] if fits and link.handled < len(requests) else []
            for action, place in places:
                found.append(self.instances[action, (("broker", broker), ("batch", requests[place]))])
        return found

    def close(self) -> None:
        """Nothing to let go of."""


def move_of(spec: KafkaProducer, before: State, step: Step) -> Move:
    """A step of the model as a move: what its choices decided is read from the states around it."""
    earlier, later = before.opened(), step.state.opened()
    waited = [b for b in spec.sending if earlier["batch"][b].outcome == APPENDED]
    return Move(
        step.action.name,
        dict(step.action.arguments),
        replicated=tuple(log.replicated for log in later["log"]),
        ends=tuple(log.end for log in later["log"]),
        refused=tuple(b for b in waited if later["batch"][b].outcome == RETRIABLE),
        survivors=max(0, len(later["surviving"]) - len(earlier["surviving"])),
        answered=_answered(later, dict(step.action.arguments).get("broker"))
        if step.action.name in ANSWERING
        else ("", -1),
    )


def _answered(later: Mapping[str, Any], broker: int | None) -> tuple[str, int]:
    """The last answer of a connection."""
    link = later["connection"][broker or 0]
    state = later["batch"][link.requests[link.handled - 1]]
    return str(state.outcome), int(state.position)
