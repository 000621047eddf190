"""Records real segments for the tests of the audit: python bench/segments.py, a minute.

A broker of the newest pinned release writes them: one topic for each compression, one with transactions (so with
control batches), one that is compacted; and current/clean-restart is replayed. They go to tests/audit/recorded.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from everystate.checker.cli.main import main as everystate
from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import wait
from everystate.model.conformance.classes import java, kafka
from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import Line, run

FOLDER = Path(__file__).parents[1] / "tests" / "audit" / "recorded"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
SERIAL = "org.apache.kafka.common.serialization.StringSerializer"
QUICK = {"log.cleaner.backoff.ms": "100", "log.initial.task.delay.ms": "100"}
COMPACTED = {"cleanup.policy": "compact", "segment.ms": "200", "min.cleanable.dirty.ratio": "0.01"}


def hash_map(entries: Mapping[str, str]) -> Any:
    found = java("java.util.HashMap")()
    for name, value in entries.items():
        found.put(name, value)
    return found


class Writer:
    """A producer, with a topic of its own."""

    def __init__(self, bootstrap: str, topic: str, **config: str) -> None:
        given = {name.replace("_", "."): value for name, value in config.items()}
        basics = {"bootstrap.servers": bootstrap, "key.serializer": SERIAL, "value.serializer": SERIAL}
        self.producer = kafka("KafkaProducer")(hash_map({**basics, "linger.ms": "50", **given}))
        self.topic = topic

    def send(self, *records: tuple[str, str]) -> None:
        """Write records together; they are one batch."""
        record = java("org.apache.kafka.clients.producer.ProducerRecord")
        for key, value in records:
            self.producer.send(record(self.topic, key, value))
        self.producer.flush()


def write(line: Line, paths: list[Path], target: Path) -> None:
    """In a process with Kafka's classes: write everything, and copy the segments."""
    with Servers(paths, given=QUICK) as servers:
        servers.start()
        admin = kafka("Admin").create(hash_map({"bootstrap.servers": servers.bootstrap()}))
        topic = java("org.apache.kafka.clients.admin.NewTopic")
        topics = [topic(name, 1, 1) for name in (*CODECS, "transactions")]
        topics.append(topic("compacted", 1, 1).configs(hash_map(COMPACTED)))
        admin.createTopics(java("java.util.Arrays").asList(topics)).all().get()
        for codec in CODECS:
            writer = Writer(servers.bootstrap(), codec, compression_type=codec)
            for number in range(3):
                writer.send(*((f"key {n}", f"value {n} of batch {number} " * 4) for n in range(4)))
        _transactions(Writer(servers.bootstrap(), "transactions", transactional_id="recorded"))
        _compacted(Writer(servers.bootstrap(), "compacted"), servers)
        admin.close()
        servers.brokers[0].stop()
        for name in (*CODECS, "transactions", "compacted"):
            shutil.copytree(servers.brokers[0].data / f"{name}-0", target / f"{name}-0")


def _transactions(writer: Writer) -> None:
    writer.producer.initTransactions()
    for number in range(4):
        writer.producer.beginTransaction()
        writer.send(("key", f"value {number}"), ("other", "value"))
        if number % 2:
            writer.producer.abortTransaction()
        else:
            writer.producer.commitTransaction()


def _compacted(writer: Writer, servers: Servers) -> None:
    """The same keys again and again, until the cleaner has taken records out of the first segment."""
    first = servers.brokers[0].data / "compacted-0" / f"{0:020}.log"
    numbers = itertools.count()

    def compacted() -> bool:
        writer.send(("a", "again"), (f"b{next(numbers)}", "once"))
        java("java.lang.Thread").sleep(150)
        found = first.read_bytes() if first.exists() else b""  # there is none while the cleaned one takes its place
        return found.count(b"again") < found.count(b"once")

    wait("the cleaner compacts the first segment", compacted)


def main() -> None:
    found, paths = provide(pinned=BROKERS, notify=print)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        run(found, paths, write, paths, folder / "broker")
        everystate(["replay", "current/clean-restart", "--cluster", "--no-audit", "--logs", str(folder / "replay")])
        shutil.copytree(
            folder / "replay" / "NoDuplicate" / "broker-0" / "topic-0", folder / "broker" / "clean-restart-0"
        )
        shutil.rmtree(FOLDER, ignore_errors=True)
        for path in sorted((folder / "broker").rglob("*.log")):
            target = FOLDER / path.relative_to(folder / "broker")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            print(target.relative_to(FOLDER), target.stat().st_size)


if __name__ == "__main__":
    main()
