"""The model's side of the drain: the observables of the producer and its connections in a state."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from ....checker.language.concrete import Step, ValuesFrame
from ....checker.language.state import State
from ...drain import Drain
from ...drain.records import ABSENT, ACKED, AGAIN, EXPIRED, FAILED, QUEUED, SENT
from ..driver import OPEN, UNTOLD, Move, Observation
from ..stepping import NamedStepper
from .client import Setup
from .wording import next_told

HANDLED = ("handle", "handle_late", "refuse")


class DrainModel(NamedStepper):
    """The model in one state."""

    def __init__(self, spec: Drain) -> None:
        super().__init__(spec)
        self.last = ""

    def setup(self) -> Setup:
        """How Kafka begins."""
        spec = self.spec
        return Setup(
            tuple(spec.leaders), spec.nodes, tuple(spec.batches), spec.room, spec.max_in_flight, spec.rules.shared_index
        )

    def take(self, step: Step) -> Move:
        """Take a step; returns its move for Kafka."""
        self.advance(step)
        self.last, given = step.action.name, dict(step.action.arguments)
        return Move(self.last, given, results=self._results(given["node"]) if self.last in HANDLED else ())

    def _results(self, node: int) -> tuple[tuple[int, str], ...]:
        """What the request that was handled last is answered."""
        request = [each for each in self.state.wire[node] if each.answered][-1]
        return tuple((p, str(item.result)) for p, item in enumerate(request.items) if item.result != ABSENT)

    def observe(self, seen: Any = ("logs",)) -> Observation:
        """Everything that is compared; the content of the logs where that is observable."""
        spec, state, found = self.spec, self.state, dict[str, object]()
        with spec._reading(ValuesFrame(spec, state.values())):
            for node in range(spec.nodes):
                found[f"requests to node {node}"] = requests(state, node)
                found[f"node {node} is ready"] = bool(spec.is_ready(node))
                found[f"node {node} has room"] = len(state.wire[node]) < spec.max_in_flight
            found["drain index"] = tuple(state.index)
            found["epoch of the producer"] = int(state.epoch)
            found["the next pass resolves or bumps"] = bool(spec.must_settle())
            for node in range(spec.nodes):
                found[f"a pass may write to node {node}"] = self._may("drain", "node", node)
            found["the pass ends with a poll that waits"] = False if self.last == "drain" else None  # P3.3
            for p in range(spec.partitions):
                found |= self._partition(p)
                found[f"the first open batch of partition {p} may expire"] = self._may_expire(p)
                if seen:
                    found[f"batches in the log of partition {p}"] = tuple(state.leader[p].log)
        return found

    def _partition(self, p: int) -> Observation:
        spec, entry, batches = self.spec, self.state.entry[p], self.state.batch[p]
        mine = [(b, batches[b]) for b in range(spec.batches[p])]
        return {
            f"known leader of partition {p}": int(entry.known_leader),
            f"queue of partition {p}": tuple(b for b, each in mine if each.place in (QUEUED, AGAIN)),
            f"partition {p} is muted": bool(spec.is_muted(p)),
            f"partition {p} is in backoff": bool(spec.is_backing_off(p)),
            f"partition {p} must wait": bool(spec.stopped(p)),
            f"epoch of partition {p}": int(entry.epoch),
            f"next sequence of partition {p}": int(entry.next),
            f"last acknowledged sequence of partition {p}": int(entry.acked),
            f"unresolved sequence of partition {p}": int(entry.unresolved),
            f"bump requested for partition {p}": bool(entry.rewrite),
            f"sequenced batches of partition {p}": tuple(
                (b, int(each.epoch), int(each.sequence), bool(each.retried), bool(each.reopened))
                for b, each in mine
                if each.place in (AGAIN, SENT)
            ),
            f"results of partition {p}": tuple(
                str(each.place) if each.place in (ACKED, FAILED, EXPIRED) else OPEN for _, each in mine
            ),
        }

    def _may(self, action: str, name: str, number: int) -> bool:
        return bool(self.steps(self.instances[action, ((name, number),)]))

    def _may_expire(self, p: int) -> Any:
        """Not compared where no deadline is left for it, or no batch is open."""
        spec, state = self.spec, self.state
        left = p in spec.faulty and state.faults_left and state.deadlines_left
        opened = any(str(batch.place) in (QUEUED, AGAIN, SENT) for batch in state.batch[p][: spec.batches[p]])
        return self._may("expire", "partition", p) if left and opened else UNTOLD

    def foreseen(self) -> tuple[str, ...]:
        """What a pass with the gate open to all nodes may send: the nodes are drained in any order."""
        orders = permutations(range(self.spec.nodes))
        return tuple(dict.fromkeys(self._drained(order) for order in orders))

    def _drained(self, order: tuple[int, ...]) -> str:
        state = self.state
        for node in order:
            [instance] = [
                each for each in self.spec.instances if each.name == "drain" and dict(each.arguments)["node"] == node
            ]
            state = next((step.state for step in self.spec.successors(state) if step.action == instance), state)
        nodes = range(self.spec.nodes)
        return next_told([requests(state, node)[len(self.state.wire[node]) :] for node in nodes])


def requests(state: State, node: int) -> tuple[tuple[tuple[Any, ...], ...], ...]:
    """The requests on a connection: the batches as they were stamped, or the result of each."""
    found: list[tuple[tuple[Any, ...], ...]] = []
    for request in state.wire[node]:
        items = [(p, item) for p, item in enumerate(request.items) if item.result != ABSENT]
        if request.answered:
            found.append(tuple((p, int(item.batch), str(item.result)) for p, item in items))
        else:
            found.append(tuple((p, int(item.batch), int(item.epoch), int(item.sequence)) for p, item in items))
    return tuple(found)
