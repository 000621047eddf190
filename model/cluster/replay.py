"""The work of a replay's process: start a cluster, take a trace on it and in the model, compare the final states."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...checker.language.spec import Spec
from ..conformance.behaviour import Behaviour
from ..conformance.compare import SideBySide
from ..conformance.difference_text import count
from ..conformance.driver import NotJudged, Setup
from ..conformance.process import Line
from ..kafka import KafkaProducer
from .brokers import Brokers
from .ending import Stopped, blaming, ending, require_wanted
from .evidence import contradictions, predicted, shows
from .fetches import TopicGate
from .gate import EVERYTHING
from .late import is_answered_late
from .outcome import OnDisk, Outcome
from .servers import Servers
from .side import BrokersSide


@dataclass(frozen=True)
class Job:
    """The input of a replay: the servers' files are in a new folder of `place`.

    `paths` is the class path of the servers; their logs are copied to `logs` at the end, if that is given.
    """

    target: str
    where: str
    constants: dict[str, Any]
    behaviour: Behaviour
    load: Callable[[str, dict[str, Any]], Spec]
    paths: tuple[Path, ...]
    place: Path
    logs: Path | None = None


def replay(line: Line, job: Job) -> Outcome:
    """Do a job."""
    outcome = Outcome(job.target, job.behaviour.name, len(job.behaviour.turns))
    spec = job.load(job.where, job.constants)
    assert isinstance(spec, KafkaProducer)
    with (
        ending(outcome),
        TopicGate() as gate,
        Servers(job.paths, spec.replicas, shown=gate.shown, place=job.place) as servers,
        blaming(servers),
    ):
        _Replay(line, job, spec, servers, gate, outcome).run()
    return outcome


class _Replay:
    def __init__(
        self, line: Line, job: Job, spec: KafkaProducer, servers: Servers, gate: TopicGate, outcome: Outcome
    ) -> None:
        self.line, self.job, self.spec, self.servers, self.outcome = line, job, spec, servers, outcome
        self.gate = gate
        self.began = time.perf_counter()

    def run(self) -> None:
        self.outcome.servers = len(self.servers.nodes)
        self.line.tell(f"starting {count(self.outcome.servers, 'server')}")
        self.servers.start()
        self._took("start")
        sides = SideBySide(self.spec, self._side)
        try:
            self._took("beginning")
            self._follow(sides)
            self._took("steps")
            self.outcome.memory = self.servers.memory()
            if sides.difference is None:
                self._look(sides)
        finally:
            self.outcome.turns = [str(turn) for turn in sides.turns]
            self.outcome.seen, self.outcome.difference = sides.seen, sides.difference
            sides.close()
        self._copy()

    def _side(self, setup: Setup) -> BrokersSide:
        return BrokersSide(setup, self.servers, self.gate, self._alive)

    def _brokers(self, sides: SideBySide) -> Brokers:
        brokers = sides.kafka.cluster
        assert isinstance(brokers, Brokers)
        return brokers

    def _alive(self) -> None:
        require_wanted(self.line, self.servers)

    def _follow(self, sides: SideBySide) -> None:
        for number, turn in enumerate(self.job.behaviour.turns, 1):
            self._alive()
            self.line.tell(f"step {number} of {len(self.job.behaviour.turns)}: {turn}")
            self._brokers(sides).late = is_answered_late(self.job.behaviour.turns, number - 1)
            step = sides.model.step_of(turn)
            if step is None:
                raise NotJudged(f"step {number}, {turn}: the model cannot take it")
            try:
                if not sides.take(step):
                    return
            except Stopped:
                raise
            except NotJudged as reason:
                raise NotJudged(f"step {number}, {turn}: {reason}") from None

    def _look(self, sides: SideBySide) -> None:
        """The final state from all sources; where they contradict each other, there is no verdict on Kafka."""
        brokers, outcome = self._brokers(sides), self.outcome
        brokers.wake_all()
        self.gate.allow(EVERYTHING, EVERYTHING)
        outcome.leader, starts = brokers.leader, []
        for partition, log in enumerate(brokers.logs[brokers.leader]):
            batches = brokers.written[partition]
            outcome.written.append([(at + n, record) for at, ids in batches for n, record in enumerate(ids)])
            brokers.admin.until_readable(partition, log.end)
            found = brokers.admin.consume(partition, log.end)
            outcome.records.append([(offset, int(value)) for offset, value in found])
            outcome.batches.append([OnDisk(at, b.ids, b.pid, b.epoch, b.sequence) for at, b in log.replica.batches()])
            starts.append(brokers.admin.earliest(partition))
        outcome.results = [brokers.result(record) for record in range(self.spec.batches)]
        outcome.predicted = predicted(sides.model.view())
        outcome.not_judged = "; ".join(self._doubts(starts))
        self._took("consumer")

    def _doubts(self, starts: list[int]) -> Iterator[str]:
        outcome = self.outcome
        yield from contradictions(outcome.predicted, outcome.written, outcome.records, starts)
        if shows(outcome.shows, outcome.written, outcome.results) is False:
            yield f"every step was as in the model, and what is left does not break {outcome.shows}"

    def _copy(self) -> None:
        """Copy the logs of every broker, closed; the verdict does not depend on them."""
        if self.job.logs is None:
            return
        try:
            self._copy_to(self.job.logs)
        except NotJudged as reason:
            self.outcome.not_audited = str(reason)

    def _copy_to(self, logs: Path) -> None:
        for node in self.servers.brokers:
            if node.running:
                node.stop()
            target = logs / f"broker-{node.number}"
            for folder in sorted(node.data.glob("topic-*")):
                shutil.copytree(folder, target / folder.name, dirs_exist_ok=True)

    def _took(self, what: str) -> None:
        now = time.perf_counter()
        self.outcome.seconds[what], self.began = now - self.began, now
