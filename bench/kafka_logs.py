"""Records real runs for `everystate follow`: python bench/kafka_logs.py [--producer 3.9.2] [--brokers 4.3.1] [RUN ...]

A run is a KafkaProducer with its own thread and clock, brokers, and a proxy between them. It has the producer's log
lines, and the frames that passed the proxy. Faults of frames and brokers are scripted; the times of lines are not, so
two recordings differ in them.

They go to tests/follow/recorded; with another release than the newest into a folder that is named by it, such as
`lost-answers-on-4.3.1`. A run takes some seconds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from everystate.model.cluster.admin import Admin
from everystate.model.cluster.client import received
from everystate.model.cluster.properties import HOST
from everystate.model.cluster.proxy import PRODUCE, Frame, Proxy, Verdict
from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import wait
from everystate.model.conformance.classes import java, kafka
from everystate.model.conformance.codec import TOPIC, read_frame
from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import Line, run

FOLDER = Path(__file__).parents[1] / "tests" / "follow" / "recorded"


SIMPLE = "org.slf4j.simpleLogger."
STAMPED = {"showDateTime": "true", "dateTimeFormat": "yyyy-MM-dd HH:mm:ss,SSS"}
CLIENT = {
    **STAMPED,
    "defaultLogLevel": "off",
    "log.org.apache.kafka.clients.NetworkClient": "debug",
    "log.org.apache.kafka.clients.producer": "trace",
    "log.org.apache.kafka.common.utils.AppInfoParser": "info",
}
SERIALIZER = "org.apache.kafka.common.serialization.ByteArraySerializer"
PRODUCER = {
    "acks": "all",
    "batch.size": "1",
    "client.id": "producer-1",
    "enable.idempotence": "true",
    "key.serializer": SERIALIZER,
    "linger.ms": "0",
    "max.in.flight.requests.per.connection": "5",
    "reconnect.backoff.ms": "20",
    "retry.backoff.ms": "50",
    "value.serializer": SERIALIZER,
}


@dataclass
class RecordedFrames:
    """The frames at the proxy: each frame that was judged, and its fate."""

    frames: list[tuple[float, Frame, Verdict]] = field(default_factory=list)
    judge: Callable[[Frame], Verdict] = lambda frame: Verdict.PASS

    def __call__(self, frame: Frame) -> Verdict:
        verdict = self.judge(frame)
        if frame.api == PRODUCE and verdict is not Verdict.HOLD:
            self.frames.append((time.time(), frame, verdict))
        return verdict

    def count(self, is_answer: bool) -> int:
        """The number of requests, or answers, so far."""
        return sum(frame.is_answer == is_answer for _, frame, _ in self.frames)


class Run:
    """A producer, brokers (the first one leads), and the proxy between them; each record is a batch."""

    def __init__(self, servers: Servers, proxy: Proxy) -> None:
        self.servers, self.proxy, self.kept = servers, proxy, RecordedFrames()
        proxy.judge_with(self.kept)
        self.node = servers.brokers[0]
        self.admin = Admin(f"{HOST}:{self.node.ports.client}", servers.require_alive)
        self.admin.create(1, [broker.number for broker in servers.brokers], {})
        config = java("java.util.HashMap")()
        for name, value in {**PRODUCER, "bootstrap.servers": f"{HOST}:{proxy.ports[0]}"}.items():
            config.put(name, value)
        self.producer = kafka("KafkaProducer")(config)

    def send(self, records: int) -> None:
        """Give records to the producer."""
        import jpype

        record, partition = java("org.apache.kafka.clients.producer.ProducerRecord"), java("java.lang.Integer")
        for number in range(records):
            value = jpype.JArray(jpype.JByte)(str(number).encode().ljust(200))
            self.producer.send(record(TOPIC, partition.valueOf(0), None, value))

    def until_written(self, records: int) -> None:
        """Wait for records in the log."""
        wait("the records are in the log", lambda: self._end() >= records)

    def _end(self) -> int:
        return self.admin.end(0)

    def judge(self, judge: Callable[[Frame], Verdict]) -> None:
        """The fate of produce requests and their answers from now on."""
        self.kept.judge = lambda frame: judge(frame) if frame.api == PRODUCE else Verdict.PASS
        self.proxy.again()

    def restart(self) -> None:
        """SIGTERM, and a new process."""
        self.node.stop()
        self.proxy.cut()
        self.judge(passing)
        self.node.start()
        self.node.ready()

    def elect(self) -> None:
        """The second broker leads."""
        self.admin.elect(1, [0])

    def forget(self) -> None:
        """The broker forgets every producer: producer.id.expiration.ms=1 for a while."""
        self.admin.set_broker(0, "producer.id.expiration.ms", "1")
        wait("the producers expire", lambda: not self.admin.producers(0, 0))
        self.admin.set_broker(0, "producer.id.expiration.ms", None)
        time.sleep(1)

    def close(self, seconds: int) -> None:
        """End the producer, at once where some record can never end."""
        self.producer.close(java("java.time.Duration").ofSeconds(seconds))
        self.admin.close()


def passing(frame: Frame) -> Verdict:
    """Nothing is held or lost."""
    return Verdict.PASS


def _held(frame: Frame) -> Verdict:
    return Verdict.HOLD if frame.is_answer else Verdict.PASS


def fine(run: Run) -> None:
    """Five records, and nothing happens to them."""
    run.send(5)
    run.producer.flush()


def _unanswered(run: Run, records: int) -> None:
    """One record that is acknowledged, and some that are in the log when their answers are held."""
    run.send(1)
    run.producer.flush()
    run.judge(_held)
    run.send(records)
    run.until_written(1 + records)


def lost_answers(run: Run) -> None:
    """Three answers are lost with the connection, and the broker recognises what is sent again."""
    _unanswered(run, 3)
    run.proxy.cut()
    run.judge(passing)
    run.producer.flush()


def restart(run: Run) -> None:
    """Two answers are lost while the broker stops and starts again: it remembers one batch of the two."""
    _unanswered(run, 2)
    run.restart()
    run.producer.flush()


def election(run: Run) -> None:
    """Two answers are lost, and another broker leads: the producer learns that, and the broker recognises the
    retries."""
    _unanswered(run, 2)
    run.elect()
    run.proxy.cut()
    run.judge(passing)
    run.producer.flush()


def expiry(run: Run) -> None:
    """The broker forgets the producer before a batch is sent again whose answer was lost."""
    _unanswered(run, 1)
    run.forget()
    run.proxy.cut()
    run.judge(passing)
    run.producer.flush()


def _first_request(becomes: Verdict) -> Callable[[Run], None]:
    """Of three requests the first one does not arrive as it was sent; the connection stays."""

    def taken(run: Run) -> None:
        run.send(1)
        run.producer.flush()
        before = run.kept.count(False)
        run.judge(lambda f: becomes if not f.is_answer and run.kept.count(False) == before else Verdict.PASS)
        run.send(3)
        wait("three requests have come", lambda: run.kept.count(False) >= before + 3)
        wait("the broker has answered", lambda: run.kept.count(True) >= 3)
        time.sleep(0.5)

    return taken


RUNS: dict[str, tuple[Callable[[Run], None], int]] = {
    "fine": (fine, 30),
    "election": (election, 30),
    "lost-answers": (lost_answers, 30),
    "restart": (restart, 30),
    "expiry": (expiry, 30),
    "swallowed": (_first_request(Verdict.DROP), 0),
    "reordered": (_first_request(Verdict.BEHIND), 0),
}
"""Each run, and the seconds that the producer may take to end."""
SERVERS = {"election": 2}
"""The number of brokers of a run; others have one."""


def record(line: Line, paths: list[Path], target: Path, names: list[str]) -> None:
    """In a process with a producer's classes: record runs, each in a folder of its own; `paths` are the brokers'."""
    system = java("java.lang.System")
    for name, value in CLIENT.items():
        system.setProperty(f"{SIMPLE}{name}", value)
    for name in names:
        line.tell(name)
        folder = target / name
        folder.mkdir(parents=True, exist_ok=True)
        stream = java("java.io.PrintStream")(str(folder / "producer.log"))
        system.setErr(stream)
        count = SERVERS.get(name, 1)
        with Proxy() as proxy, Servers(paths, count, advertised=proxy.shown) as servers:
            servers.start()
            run = Run(servers, proxy)
            steps, patience = RUNS[name]
            steps(run)
            run.close(patience)
        stream.close()
        records = [_told(*each, run.kept) for each in run.kept.frames]
        (folder / "proxy.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")


def tidied(text: str) -> str:
    """A recorded log without the lines of other clients and of other requests."""
    others = (
        "Nodes with data ready",
        "AdminClient",
        "clientId=adminclient",
        '"clientId":"adminclient',
        "BuiltInPartitioner",
        "main] TRACE",
        " backoff",
        ", leader w",
    )
    kept = ("clientId=producer-", "producer.internals", "AppInfoParser", '"requestApiKeyName":"PRODUCE"', '{"time"')
    return "".join(
        line
        for line in text.splitlines(keepends=True)
        if not any(word in line for word in others) and any(word in line for word in kept)
    )


def _told(moment: float, frame: Frame, verdict: Verdict, kept: RecordedFrames) -> dict[str, Any]:
    """A frame as a record of the proxy."""
    here = frame.connection, frame.correlation
    mine = [other for _, other, _ in kept.frames if (other.connection, other.correlation) == here]
    request = read_frame(next(other.data for other in mine if not other.is_answer))
    assert request.batch is not None
    head: dict[str, Any] = {
        "time": round(moment, 6),
        "connection": frame.connection,
        "broker": frame.node,
        "correlation": frame.correlation,
    }
    head["became"] = verdict.name.lower()
    if frame.is_answer:
        answer = received(request, frame.data)
        return {**head, "answer": answer.code, "offset": answer.offset}
    batch = request.batch
    return {
        **head,
        "request": "Produce",
        "partition": batch.partition,
        "pid": batch.pid,
        "epoch": batch.epoch,
        "sequence": batch.sequence,
        "records": len(batch.ids),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--producer", help="the release of the producer")
    options.add_argument("--brokers", help="the release of the brokers")
    options.add_argument("runs", nargs="*", default=list(RUNS))
    given = options.parse_args()
    brokers, paths = provide(given.brokers, pinned=BROKERS, notify=print)
    found, classes = (brokers, paths) if given.producer is None else provide(given.producer, notify=print)
    releases = {"of": given.producer, "on": given.brokers}
    suffix = "".join(f"-{word}-{version}" for word, version in releases.items() if version)
    with tempfile.TemporaryDirectory() as made:
        run(found, classes, record, paths, Path(made), given.runs, hear=print)
        for path in sorted(Path(made).rglob("*.*")):
            target = FOLDER / f"{path.parent.name}{suffix}" / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(tidied(path.read_text("utf-8")), "utf-8")
            print(target.relative_to(FOLDER), target.stat().st_size)


if __name__ == "__main__":
    main()
