"""Kafka's side of the drain: the real producer, and leaders that answer what the model's leaders answer."""

from __future__ import annotations

from ...drain.records import ACKED, EXPIRED, FAILED
from ..clock import Clock
from ..driver import OPEN, Move, Observation
from ..kafka_side import KafkaSide
from ..numbers import FIRST_PID
from ..real_client import CREATED_EVERY
from ..still_side import StillSide
from .client import ALIKE, DrainClient, Setup
from .wording import next_told


class DrainKafka(KafkaSide):
    """Kafka in one state."""

    def __init__(self, setup: Setup) -> None:
        StillSide.__init__(self)
        self.begins, self.seen = setup, ()
        self.client = DrainClient(setup, Clock(CREATED_EVERY * 10), FIRST_PID)
        self.leaders, self.known = list(setup.leaders), list(setup.leaders)
        self.answers: list[list[dict[int, str]]] = [[] for _ in range(setup.nodes)]
        self.waits: bool | None = None

    def step(self, move: Move) -> None:
        """Do what a move says; a request is answered as the model's leaders did."""
        given, client = move.arguments, self.client
        self.waits = None
        match move.action:
            case "settle":
                client.start_pass()
            case "drain":
                client.pass_to({given["node"]})
                self.waits = client.channel.waits > 0
            case "handle" | "handle_late" | "refuse":
                self.answers[given["node"]].append(dict(move.results))
            case "read":
                client.answer(given["node"], self.answers[given["node"]].pop(0))
            case "back_off_no_more":
                client.end_backoff(given["partition"])
            case "learn_leader":
                self.known[given["partition"]] = self.leaders[given["partition"]]
                client.learn(self.known)
            case "lose" | "time_out":
                self.answers[given["node"]].clear()
                client.lose(given["node"])
            case "move":
                self.leaders[given["partition"]] = given["node"]
            case "expire":
                client.expire_first(given["partition"])
            case other:
                raise AssertionError(f"no such action: {other}")

    def observe(self) -> Observation:
        """Everything that is compared."""
        client, found = self.client, dict[str, object]()
        for node in range(self.begins.nodes):
            answers = self.answers[node]
            requests = client.requests(node)
            told = [
                tuple((p, b, answers[at][p]) for p, b, *_ in each) for at, each in enumerate(requests[: len(answers)])
            ]
            found[f"requests to node {node}"] = (*told, *requests[len(answers) :])
            found[f"node {node} is ready"] = client.is_ready(node)
            found[f"node {node} has room"] = client.has_room(node)
        found["drain index"] = client.indexes()
        found["epoch of the producer"] = client.pair()[1]
        found["the next pass resolves or bumps"] = client.must_loop()
        found["the pass ends with a poll that waits"] = self.waits
        for p in range(len(self.leaders)):
            found |= self._partition(p)
        return found

    def _partition(self, p: int) -> Observation:
        client, entry = self.client, self.client.entry(p)
        return {
            f"known leader of partition {p}": client.leader_of(p),
            f"queue of partition {p}": client.queued(p),
            f"partition {p} is muted": client.is_muted(p),
            f"partition {p} is in backoff": client.is_backing_off(p),
            f"partition {p} must wait": client.must_wait(p),
            f"epoch of partition {p}": entry.pair[1],
            f"next sequence of partition {p}": entry.next_sequence,
            f"last acknowledged sequence of partition {p}": entry.last_acked,
            f"unresolved sequence of partition {p}": entry.unresolved,
            f"bump requested for partition {p}": entry.rewrite,
            f"sequenced batches of partition {p}": client.sequenced(p),
            f"results of partition {p}": tuple(self._result(p, b) for b in range(self.begins.batches[p])),
        }

    def _result(self, partition: int, number: int) -> str:
        found = self.client.result(partition * ALIKE + number)
        if found is None:
            return OPEN
        return EXPIRED if found.error == "TimeoutException" else FAILED if found.error else ACKED

    def is_late(self) -> bool:
        """A timeout has passed only where the model sweeps."""
        return False

    def go_on(self) -> str | None:
        """Let the producer make its next pass, with the gate open to all nodes; None where it has to resolve."""
        client, nodes = self.client, range(self.begins.nodes)
        if client.must_loop():
            return None
        before = [len(client.frames[node]) for node in nodes]
        client.pass_to(set(nodes))
        return next_told([client.requests(node)[before[node] :] for node in nodes])

    def close(self) -> None:
        """Nothing to let go of."""
