"""The settings in force: what the files say, the defaults of a version, and what Kafka does where they conflict.

The rules of ProducerConfig were compared with the classes of 2.5.1, 2.8.2, 3.2.3, 3.9.2, 4.0.2 and 4.4.0.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import librdkafka, other_clients
from .values import (
    DEFAULT,
    KAFKA,
    NEWEST_PATCH,
    UNLIMITED,
    ConfigException,
    Version,
    acks,
    boolean,
    integer,
    long,
    one_of,
    policies,
    string,
    version_of_transactions,
)

PRODUCER: dict[str, tuple[Callable[[str, str], Any], Callable[[Version], Any]]] = {
    "acks": (acks, lambda v: "all" if v >= (3, 0, 0) else "1"),
    "enable.idempotence": (boolean, lambda v: v >= (3, 0, 1) and v != (3, 1, 0)),  # KAFKA-13598
    "max.in.flight.requests.per.connection": (integer(1), lambda _: 5),
    "retries": (integer(0), lambda _: UNLIMITED),
    "delivery.timeout.ms": (integer(0), lambda _: 120_000),
    "request.timeout.ms": (integer(0), lambda _: 30_000),
    "linger.ms": (long(0), lambda v: 5 if v >= (4, 0, 0) else 0),
    "compression.type": (one_of("none", "gzip", "snappy", "lz4", "zstd"), lambda _: "none"),
    "transactional.id": (string, lambda _: None),
    "transaction.timeout.ms": (integer(0), lambda _: 60_000),
}
TOPIC: dict[str, tuple[Callable[[str, str], Any], tuple[str, ...], Any]] = {
    "replication.factor": (integer(1), ("default.replication.factor",), 1),
    "min.insync.replicas": (integer(1), ("min.insync.replicas",), 1),
    "unclean.leader.election.enable": (boolean, ("unclean.leader.election.enable",), False),
    "retention.ms": (long(-1), ("log.retention.ms", "log.retention.minutes", "log.retention.hours"), 604_800_000),
    "retention.bytes": (long(-1), ("log.retention.bytes",), -1),
    "cleanup.policy": (policies, ("log.cleanup.policy",), "delete"),
    "flush.messages": (long(1), ("log.flush.interval.messages",), 2**63 - 1),
}
"""Settings of a topic: the broker's settings that they are taken from otherwise, and Kafka's default."""
BROKER: dict[str, tuple[Callable[[str, str], Any], Callable[[Version], Any]]] = {
    "producer.id.expiration.ms": (integer(1), lambda _: 86_400_000),
    "transactional.id.expiration.ms": (integer(1), lambda _: 604_800_000),
    "transaction.max.timeout.ms": (integer(1), lambda _: 900_000),
    "transaction.partition.verification.enable": (boolean, lambda v: v >= (3, 6, 0)),
    "transaction.state.log.replication.factor": (integer(1), lambda _: 3),
    "transaction.state.log.min.isr": (integer(1), lambda _: 2),
    "transaction.version": (version_of_transactions, lambda v: 2 if v >= (4, 0, 0) else 0),
}
"""transaction.version is a feature of the cluster, not a line of server.properties; it may be given with these."""
MILLISECONDS = {"log.retention.minutes": 60_000, "log.retention.hours": 3_600_000}
TOO_LONG = (
    "The transaction timeout is larger than the maximum value allowed by the broker (as configured by "
    "transaction.max.timeout.ms)."
)


@dataclass(frozen=True)
class Problem:
    """Something that was not read, so that an answer may be wrong: where, and a sentence."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Files:
    """What was given: the properties of the producer, of the topic and of the broker, and the versions."""

    producer: dict[str, str] = field(default_factory=dict)
    topic: dict[str, str] = field(default_factory=dict)
    broker: dict[str, str] = field(default_factory=dict)
    client: Version = (4, 1, NEWEST_PATCH)
    server: Version = (4, 1, NEWEST_PATCH)
    librdkafka: bool = False
    notes: tuple[str, ...] = ()
    framework: str = ""
    """What sets `defaults` besides the user: Kafka Connect, SmallRye, ..."""
    defaults: dict[str, str] = field(default_factory=dict)
    other: str = ""
    """A client that is in no model, by its name."""
    problems: tuple[Problem, ...] = ()
    label: str = ""
    """Which producer and topic of the files it is."""

    @property
    def foreign(self) -> bool:
        """Whether the client is librdkafka: it is said, or a setting is one of librdkafka only."""
        return self.librdkafka or any(name in librdkafka.OWN for name in self.producer)


@dataclass(frozen=True)
class Settings:
    """The settings in force: `values` by name, where each of them comes from, and what a user has to know of them."""

    values: dict[str, Any]
    sources: dict[str, str]
    client: Version
    server: Version
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    librdkafka: bool = False
    other: str = ""
    problems: tuple[Problem, ...] = ()
    label: str = ""

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def transactional(self) -> bool:
        """Whether the producer has a transactional.id."""
        return "transactional.id" in self.values

    @property
    def idempotent(self) -> bool:
        """Whether the producer is idempotent."""
        return bool(self["enable.idempotence"])


def settle(files: Files) -> Settings:
    """The settings in force; ConfigException where Kafka throws one."""
    if files.other:
        values, sources, notes = other_clients.settle(files.producer, files.other)
    else:
        values, sources, notes = librdkafka.settle(files.producer) if files.foreign else _of_java(files)
    for name, (read, of_broker, default) in TOPIC.items():
        values[name], sources[name] = default, DEFAULT
        for own in reversed(of_broker):
            if own in files.broker:
                value = read(own, files.broker[own].strip())
                values[name] = value * MILLISECONDS[own] if own in MILLISECONDS and value != -1 else value
                sources[name] = f"broker, {own}"
        if name in files.topic:
            values[name], sources[name] = read(name, files.topic[name].strip()), "topic"
    for name, (read, default) in BROKER.items():
        given = name in files.broker
        values[name] = read(name, files.broker[name].strip()) if given else default(files.server)
        sources[name] = "broker" if given else DEFAULT
    notes += files.notes
    if values["replication.factor"] > 3:
        notes.append(f"Replication factor {values['replication.factor']} is checked with 3 replicas.")
    notes += _on_topic(values)
    if values["transactional.id"] is None:
        for name in [name for name in values if name.startswith("transaction")]:
            del values[name]
    elif values["transaction.timeout.ms"] > values["transaction.max.timeout.ms"]:
        raise ConfigException(TOO_LONG)
    unread = tuple(_unread(files))
    foreign = files.foreign and not files.other
    return Settings(
        values,
        sources,
        files.client,
        files.server,
        tuple(notes),
        unread,
        foreign,
        files.other,
        files.problems,
        files.label,
    )


def _on_topic(values: dict[str, Any]) -> list[str]:
    """What brokers delete by the settings of the topic."""
    notes = []
    kept = values["retention.ms"]
    if 0 <= kept < 86_400_000 and "delete" in values["cleanup.policy"]:
        hours, minutes = kept / 3_600_000, kept / 60_000
        span = f"{hours:g} hour{'s' * (hours != 1)}" if hours >= 1 else f"{minutes:g} minutes"
        notes.append(f"Retention deletes records after {span}: a consumer that stops for longer loses them.")
    if "compact" in values["cleanup.policy"]:
        notes.append("Compaction deletes all but the last record of a key; this is no loss in the sense of no-loss.")
    return notes


def _of_java(files: Files) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    texts = files.defaults | files.producer
    for name, (read, default) in PRODUCER.items():
        values[name] = read(name, texts[name].strip()) if name in texts else default(files.client)
        own = "producer" if name in files.producer else files.framework
        sources[name] = own if name in texts else DEFAULT
    before = dict(values)
    notes = _resolve(values, files)
    sources |= {name: KAFKA for name in values if values[name] != before[name]}
    return values, sources, notes


def _resolve(values: dict[str, Any], files: Files) -> list[str]:
    """ProducerConfig: conflicts of idempotence, and the delivery timeout; what it changes is told."""
    given, notes = files.defaults | files.producer, []
    needed = values["linger.ms"] + values["request.timeout.ms"]
    if values["delivery.timeout.ms"] < needed:
        if "delivery.timeout.ms" in given:
            raise ConfigException(
                "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms"
            )
        values["delivery.timeout.ms"] = min(needed, UNLIMITED)
        notes.append(f"Kafka raises delivery.timeout.ms to {needed}, linger.ms + request.timeout.ms.")
    explicit, transactional = "enable.idempotence" in given, "transactional.id" in given
    off = "Cannot set a transactional.id without also enabling idempotence."
    if files.client < (3, 0, 1) or files.client == (3, 1, 0):
        if explicit and not values["enable.idempotence"] and transactional:
            raise ConfigException(off)
        values["enable.idempotence"] = transactional or (explicit and values["enable.idempotence"])
        if values["enable.idempotence"] and "acks" not in given:
            values["acks"] = "all"
        if files.client >= (3, 0, 0) and not explicit and not transactional:
            notes.append("Idempotence is off: this release does not turn it on by default (KAFKA-13598).")
        explicit = True  # the only way to be idempotent here; every conflict is an error
    if values["enable.idempotence"]:
        for conflict, error in _conflicts(values, files.client):
            if explicit or error.startswith("To use"):
                raise ConfigException(error)
            values["enable.idempotence"] = False
            notes.append(f"Idempotence is off, because {conflict}. Kafka only logs it.")
    if transactional and not values["enable.idempotence"]:
        raise ConfigException(off)
    return notes


def _conflicts(values: dict[str, Any], client: Version) -> list[tuple[str, str]]:
    """What idempotence does not go with, and the message of Kafka, in the order of Kafka's checks."""
    found, flight = [], values["max.in.flight.requests.per.connection"]
    if values["retries"] == 0:
        found.append(("retries=0", "Must set retries to non-zero when using the idempotent producer."))
    if values["acks"] != "all":
        text = (
            "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee idempotence."
        )
        found.append((f"acks={values['acks']}", text))
    if flight > 5:
        name = "max.in.flight.requests.per.connection"
        text = f"Must set {name} to at most 5 to use the idempotent producer."
        if client >= (4, 0, 0):
            text = f"To use the idempotent producer, {name} must be set to at most 5. Current value is {flight}."
        found.append((f"{name}={flight}", text))
    return found


def _unread(files: Files) -> list[str]:
    """Settings that were given and not looked at, with what they may have been meant to be."""
    of_topics = [own for _, names, _ in TOPIC.values() for own in names]
    places = (
        (files.producer, [*(librdkafka.NAMES if files.foreign or files.other else PRODUCER)]),
        (files.topic, list(TOPIC)),
        (files.broker, [*BROKER, *of_topics]),
    )
    found = []
    for given, known in places:
        for name in given:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1, cutoff=0.85)
                found.append(f"{name} (did you mean {near[0]}?)" if near else name)
    return found
