"""Kafka's side of the drain: the real producer, and from 4.1 on a real log for each partition, kept across leaders.

For older releases, requests get the answers of the model's leaders.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from ...drain.records import ACKED, EXPIRED, FAILED, NONE, NOT_LEADER
from ..classes import has_log
from ..clock import Clock
from ..codec import Frame
from ..driver import OPEN, Move, Observation
from ..kafka_side import KafkaSide
from ..numbers import FIRST_PID
from ..real_client import CREATED_EVERY
from ..scala_log import log_kind
from ..still_side import StillSide
from .client import ALIKE, FIRST_EPOCH, DrainClient, Setup, batches_of
from .wording import next_told

LOGS = "logs"
"""The name for the observed content of the logs of all partitions."""


class DrainKafka(KafkaSide):
    """Kafka in one state."""

    def __init__(self, setup: Setup) -> None:
        StillSide.__init__(self)
        clock = Clock(CREATED_EVERY * 10)
        self.begins, self.seen = setup, (LOGS,) if has_log() else ()
        self.client = DrainClient(setup, clock, FIRST_PID)
        self.folder = Path(tempfile.mkdtemp(prefix="everystate-"))
        self.logs = [log_kind()(self.folder, p, clock) for p in range(len(setup.leaders))] if has_log() else []
        for log in self.logs:  # each knows the producer by the epoch before
            log.append(self.client.earlier_batch(), 0)
        self.leaders, self.known = list(setup.leaders), list(setup.leaders)
        self.answers: list[list[dict[int, str]]] = [[] for _ in range(setup.nodes)]
        self.waits: bool | None = None

    def step(self, move: Move) -> None:
        """Execute a move; a request is answered as the model's leaders did."""
        given, client = move.arguments, self.client
        self.waits = None
        match move.action:
            case "settle":
                client.start_pass()
            case "drain":
                client.pass_to({given["node"]})
                self.waits = client.channel.waits > 0
            case "handle" | "handle_late" | "refuse":
                self.answers[given["node"]].append(self.judged(given["node"], dict(move.results), given))
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

    def judged(self, node: int, played: dict[int, str], given: dict[str, Any]) -> dict[int, str]:
        """The answer to the oldest unanswered request of a connection: the result of each partition's log (P5.1)."""
        if not self.logs:
            return played
        frame: Frame = self.client.frames[node][len(self.answers[node])]
        found: dict[int, str] = {}
        for batch in batches_of(frame):
            p = self.client.numbers[batch.partition]
            if self.leaders[p] != node:
                found[p] = NOT_LEADER  # B1.2
            elif p == given.get("partition"):
                found[p] = given["result"]  # refused
            else:
                code = self.logs[p].append(batch.records, 0).code
                found[p] = code or NONE
        return found

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
        found["epoch of the producer"] = client.pair()[1] - FIRST_EPOCH
        found["the next pass resolves or bumps"] = client.must_loop()
        for node in range(self.begins.nodes):
            ready = found[f"node {node} is ready"] and found[f"node {node} has room"]
            found[f"a pass may write to node {node}"] = bool(ready and not client.must_loop())
        found["the pass ends with a poll that waits"] = self.waits
        for p in range(len(self.leaders)):
            found |= self._partition(p)
        for p, log in enumerate(self.logs):
            found[f"batches in the log of partition {p}"] = tuple(
                batch.ids[0] % ALIKE for _, batch in log.batches()[1:]
            )
        return found

    def _partition(self, p: int) -> Observation:
        client, entry = self.client, self.client.entry(p)
        return {
            f"known leader of partition {p}": client.leader_of(p),
            f"queue of partition {p}": client.queued(p),
            f"partition {p} is muted": client.is_muted(p),
            f"partition {p} is in backoff": client.is_backing_off(p),
            f"partition {p} must wait": client.must_wait(p),
            f"epoch of partition {p}": entry.pair[1] - FIRST_EPOCH,
            f"next sequence of partition {p}": entry.next_sequence,
            f"last acknowledged sequence of partition {p}": entry.last_acked,
            f"unresolved sequence of partition {p}": entry.unresolved,
            f"bump requested for partition {p}": entry.rewrite,
            f"the first open batch of partition {p} may expire": client.may_expire(p),
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
        """Release the files."""
        for log in self.logs:
            log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
