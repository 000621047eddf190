"""Trials in which Kafka's own consumers and producers read records, and commit a result of each: what they share."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.waiting import PATIENCE, wait
from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import run
from everystate.model.conformance.versions import PINNED

Situation = TypeVar("Situation")
Results = dict[str, int]
"""How often there is a committed result of each record."""


def serializers(key: str, kind: str) -> dict[str, str]:
    """Of keys and values, which are texts."""
    return {f"{part}.{key}": f"org.apache.kafka.common.serialization.String{kind}" for part in ("key", "value")}


def properties(given: dict[str, str]) -> Any:
    """As Java has them."""
    import jpype

    made = jpype.JClass("java.util.Properties")()
    for name, value in given.items():
        made.setProperty(name, value)
    return made


def producer(given: dict[str, str]) -> Any:
    """A producer of texts."""
    import jpype

    settings = properties({**given, **serializers("serializer", "Serializer")})
    return jpype.JClass("org.apache.kafka.clients.producer.KafkaProducer")(settings)


def consumer(given: dict[str, str]) -> Any:
    """A consumer that commits nothing by itself, and reads from the start what is committed."""
    import jpype

    usual = {
        "auto.offset.reset": "earliest",
        "enable.auto.commit": "false",
        "isolation.level": "read_committed",
        **serializers("deserializer", "Deserializer"),
    }
    return jpype.JClass("org.apache.kafka.clients.consumer.KafkaConsumer")(properties({**usual, **given}))


def committed(topic: str, server: dict[str, str]) -> Counter[str]:
    """What a reader finds in the one partition of a topic, up to a last record that is written now."""
    import jpype

    writer = producer(server)
    writer.send(jpype.JClass("org.apache.kafka.clients.producer.ProducerRecord")(topic, "end")).get()
    writer.close()
    reader = consumer(server)
    place = jpype.JClass("org.apache.kafka.common.TopicPartition")(topic, 0)
    reader.assign(jpype.JClass("java.util.Arrays").asList([place]))
    found: Counter[str] = Counter()

    def is_read() -> bool:
        for record in reader.poll(jpype.JClass("java.time.Duration").ofMillis(100)):
            found[str(record.value())] += 1
        return found["end"] > 0

    wait("the end of the results is read", is_read, patience=PATIENCE)
    reader.close()
    del found["end"]
    return found


def command(
    doc: str | None, situations: Mapping[str, Situation], trial: Callable[..., Results], told: Callable[[Results], str]
) -> Iterator[Results]:
    """The results of the situations that the command line names, with each release of clients; `told` shows them.

    `trial` is called in the process that has the clients' classes, with the broker's class path and a situation's name.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("situations", nargs="*", metavar="SITUATION", help=", ".join(situations))
    parser.add_argument("--kafka", help="the release of the brokers; the newest that is pinned")
    parser.add_argument("--clients", nargs="+", default=[list(PINNED)[-1]], metavar="VERSION")
    given = parser.parse_args()
    unknown = set(given.situations) - set(situations)
    if unknown:
        parser.error(f"no situation {', '.join(sorted(unknown))}; there are {', '.join(situations)}")
    broker, paths = provide(given.kafka, pinned=BROKERS, notify=print)
    for version in given.clients:
        kafka, classes = provide(version, notify=print)
        for name in given.situations or situations:
            print(f"{name}: clients {version}, brokers {broker.version}", flush=True)
            found = run(kafka, classes, trial, paths, name, hear=lambda text: print(" ", text, flush=True))
            print(told(found), flush=True)
            yield found
