"""The model as a driver: it runs in plain Python, one step at a time, and its state is read as Kafka's numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...checker.language.concrete import Step, ValuesFrame
from ...checker.language.declarations import ActionInstance
from ...checker.language.state import State
from ..fault_table import actions
from ..kafka import KafkaProducer
from ..records import APPENDED, NONE, QUEUED, RETRIABLE, RETRYING
from .driver import Move, Observation, Setup
from .mapping import NEXT_PASS, OBSERVABLES, Observable
from .numbers import Numbers
from .stepping import NamedStepper
from .view import NEXT, SURVIVOR, View

DRAINS = {"send": QUEUED, "send_again": RETRYING}
ON_A_CONNECTION = ("handle", "read_answer", "answer_late", *actions("answers"))

ANSWERING = ("handle", "find_too_large")
"""The actions in which a log may answer."""


class ModelSide(NamedStepper):
    """The Kafka model in one state."""

    def __init__(self, spec: KafkaProducer) -> None:
        super().__init__(spec)
        self.numbers = Numbers(spec)
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
            high_watermark_stands=spec.server.high_watermark_stands,
        )

    def take(self, step: Step) -> Move:
        """Take a step; returns its move for Kafka."""
        return move_of(self.spec, self.advance(step), step)

    def goes_on(self) -> bool:
        """Where the log is full, the next step leaves the model."""
        return bool(self.spec.property_holds("LogFits", self.state))

    def likely(self, dice: random.Random) -> Callable[[ActionInstance], bool]:
        """Not those of a batch that is elsewhere. For speed only."""
        return LikelyActions(self.state)

    def foreseen(self) -> tuple[str, ...]:
        """What the producer may do next."""
        return (self.observe()[NEXT_PASS],)

    def observe(self, seen: Sequence[Observable] = OBSERVABLES) -> Observation:
        """Some observables."""
        view = self.view()
        with self.spec._reading(ValuesFrame(self.spec, view.values)):
            return {name: value for each in seen for name, value in each.model(view)}

    def foresee(self, step: Step, seen: Sequence[Observable]) -> tuple[Move, Observation]:
        """The same without what may come next, which takes most of the time and shows no rule after a step."""
        view = View(self.spec, self.numbers, step.state, [])
        with self.spec._reading(ValuesFrame(self.spec, view.values)):
            found = {name: value for each in seen for name, value in each.model(view)}
        return move_of(self.spec, self.state, step), found

    def view(self) -> View:
        """The state as it is read."""
        coming = [step for instance in self._next() for step in self.steps(instance)[:1]]
        return View(self.spec, self.numbers, self.state, coming)

    def _next(self) -> list[ActionInstance]:
        """What may come next without a fault; for a connection its oldest answer and its oldest request.

        Where the log is full a broker's next step leaves the model.
        """
        found, fits = list(self.own), self.spec.property_holds("LogFits", self.state)
        for broker, link in enumerate(self.state.connection):
            requests = list(link.requests)
            places = [("read_answer", 0)] if link.handled else []
            places += [("handle", link.handled)] if fits and link.handled < len(requests) else []
            for action, place in places:
                found.append(self.instances[action, (("broker", broker), ("batch", requests[place]))])
            if self.state.surviving and fits:
                oldest = self.state.surviving[0].batch
                found.append(self.instances[SURVIVOR, (("broker", broker), ("batch", oldest))])
        return found


class LikelyActions:
    """Which actions are worth a try in a state: not those of a batch that is elsewhere. For speed only."""

    def __init__(self, state: State) -> None:
        self.connections = [list(link.requests) for link in state.connection]
        self.status = [batch.status for batch in state.batch]

    def __call__(self, instance: ActionInstance) -> bool:
        given = dict(instance.arguments)
        if instance.name in DRAINS:
            return bool(self.status[given["batch"]] == DRAINS[instance.name])
        if instance.name in ON_A_CONNECTION:
            return given["batch"] in self.connections[given["broker"]]
        return True


def move_of(spec: KafkaProducer, before: State, step: Step) -> Move:
    """A step of the model as a move: its choices are read from the states around it."""
    earlier, later = before.opened(), step.state.opened()
    waited = [b for b in spec.sending if earlier["batch"][b].outcome == APPENDED]
    return Move(
        step.action.name,
        dict(step.action.arguments),
        replicated=_replicated(earlier, later),
        ends=tuple(log.end for log in later["log"]),
        starts=_starts(later) if spec.starts_apart else (),
        uncut=_uncut(earlier, later) if spec.keeps_tails else (),
        refused=tuple(b for b in waited if later["batch"][b].outcome == RETRIABLE),
        in_sync_matters=_in_sync_matters(spec, step.state),
        survivors=max(0, len(later["surviving"]) - len(earlier["surviving"])),
        answered=_answered(later, dict(step.action.arguments).get("broker"))
        if step.action.name in ANSWERING
        else ("", -1),
    )


def _in_sync_matters(spec: KafkaProducer, state: State) -> bool:
    """Whether anything depends on the in-sync set."""
    with spec._reading(ValuesFrame(spec, state.values())):
        return bool(spec.in_sync_matters())


def _replicated(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
    """How far each broker has fetched, for each partition; a new leader has what it shares with the old one.

    The leader before the step fetches nothing, and is 0.
    """
    old, new = earlier["leader"], later["leader"]
    found = []
    for replicas in later["replica"]:
        ends = [replica.replicated for replica in replicas]
        if old != new:
            ends[new], ends[old] = ends[old], 0
        found.append(tuple(ends))
    return tuple(found)


def _starts(later: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
    """Where the logs begin: for each partition that of each broker."""
    pairs = zip(later["log"], later["replica"], strict=True)
    return tuple(
        tuple(log.start if b == later["leader"] else replica.log_start for b, replica in enumerate(replicas))
        for log, replicas in pairs
    )


def _uncut(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> tuple[bool, ...]:
    """Whether the earlier follower still has what the leader's log does not have; a new leader has its own log."""
    old, new = earlier["leader"], later["leader"]
    if old == new:
        return tuple(tail.end > 0 for tail in later["tail"])
    pairs = zip(earlier["tail"], later["log"], later["replica"], strict=True)
    return tuple(
        tail.end > 0 and tail.owner in (0, new) and replicas[old].replicated < log.end for tail, log, replicas in pairs
    )


def _answered(later: Mapping[str, Any], broker: int | None) -> tuple[str, int]:
    """The last answer of a connection."""
    link = later["connection"][broker or 0]
    state = later["batch"][link.requests[link.handled - 1]]
    return str(state.outcome), int(state.position) if state.outcome in (APPENDED, NONE) else 0
