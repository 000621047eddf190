"""A timed run of the Kafka model: each step is one of the model, at the first moment at which it can happen.

A request is at the broker half a round trip after it was sent, and its answer at the client half a round trip after it
was given. A broker handles the requests of a connection one after the other (B7), each in `service` seconds. The model
decides when the producer may send: by requests in flight, the limit that KIP-1269 discovers, and its 5 before.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...checker.language.concrete import StepFailed, attempts
from ...checker.language.declarations import ActionInstance
from ...checker.language.state import State
from ..kafka import KafkaProducer

SEND, HANDLE, READ = "send", "handle", "read_answer"
TODAY, PLAIN, PROPOSED = "current", "non-idempotent", "kip-1269"
SMALLEST = 5
"""Batches that a broker of today remembers, which is also the minimum in KIP-1269 (K1)."""


@dataclass(frozen=True)
class Delays:
    """Seconds: of a round trip, of the broker for one request, and of all other work for a request that is alone."""

    trip: float
    service: float
    rest: float = 0.0


def spec(batches: int, in_flight: int, window: int, generation: str) -> KafkaProducer:
    """A producer without faults; `window` is the number of batches that a broker remembers (KIP-1269)."""
    wide = {"wide_window": window, "wide_replicas": "0"} if window > SMALLEST else {}
    given = {"batches": batches, "max_in_flight": in_flight, "replicas": 1, "faults": 0}
    return KafkaProducer(generation=generation, **given, **(wide if generation == PROPOSED else {}))


class Producer:
    """The model and its steps; those of one run are reused in the next, which has most of them at another pace.

    It begins like a client after one warm-up batch: the limit of KIP-1269 is discovered.
    """

    def __init__(self, batches: int, in_flight: int, window: int, generation: str) -> None:
        self.spec, self.batches = spec(batches + 1, in_flight, window, generation), batches
        self._instances = {(each.name, each.arguments): each for each in self.spec.instances}
        self._known: dict[tuple[State, ActionInstance], State | None] = {}
        state: State | None = self.spec.initial_states()[0]
        for action in (SEND, HANDLE, READ):
            assert state is not None
            state = self.after(state, action, 0)
        assert state is not None
        self.first = state

    def after(self, state: State, action: str, batch: int) -> State | None:
        """The state after a step of one batch, None where the model cannot take it."""
        broker = () if action == SEND else (("broker", 0),)
        instance = self._instances[action, (*broker, ("batch", batch))]
        if (state, instance) not in self._known:
            self._known[state, instance] = self._take(state, instance)
        return self._known[state, instance]

    def _take(self, state: State, instance: ActionInstance) -> State | None:
        for step in attempts(self.spec, state, instance):
            if isinstance(step, StepFailed):
                raise step
            return step.state
        return None


class Timed:
    """A run: the moments at which each batch was sent, handled, and known to be written."""

    def __init__(self, producer: Producer, pace: Delays) -> None:
        self.producer, self.pace = producer, pace
        self.sent: list[float] = []
        self.handled: list[float] = []
        self.read: list[float] = []
        self.now = 0.0
        self._state = producer.first
        while self._step():
            pass

    @property
    def seconds(self) -> float:
        """From when the first request is sent until the last answer is there."""
        return self.read[-1] - self.sent[0]

    def _step(self) -> bool:
        """Take the step that comes first; False where there is none."""
        for moment, moments, action in sorted(self._next(), key=lambda each: each[0]):
            state = self.producer.after(self._state, action, len(moments) + 1)
            if state is not None:
                self.now, self._state = moment, state
                moments.append(moment)
                return True
        return False

    def _next(self) -> list[tuple[float, list[float], str]]:
        """The next possible steps with their times: an answer to be read, the next batch, a request to be handled."""
        way = (self.pace.trip + self.pace.rest) / 2
        sent, handled, read = len(self.sent), len(self.handled), len(self.read)
        found = []
        if read < handled:
            found.append((self.handled[read] + way, self.read, READ))
        if sent < self.producer.batches:
            found.append((self.now, self.sent, SEND))
        if handled < sent:
            begins = max([self.sent[handled] + way, *self.handled[-1:]])
            found.append((begins + self.pace.service, self.handled, HANDLE))
        return found
