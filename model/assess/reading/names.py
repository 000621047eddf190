"""The names of settings, and how frameworks, environments and languages spell them."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources

PRODUCER, TOPIC, BROKER, CONSUMER, LIBRDKAFKA = "producer", "topic", "broker", "consumer", "librdkafka"
EXTRA = {
    TOPIC: ("replication.factor",),
    BROKER: ("transaction.version", "min.insync.replicas", "unclean.leader.election.enable"),
}
DECISIVE = (
    "acks",
    "request.required.acks",
    "enable.idempotence",
    "max.in.flight.requests.per.connection",
    "max.in.flight",
    "delivery.timeout.ms",
    "message.timeout.ms",
    "transactional.id",
    "transaction.id.prefix",
    "processing.guarantee",
    "min.insync.replicas",
    "replication.factor",
    "unclean.leader.election.enable",
)
"""Names that decide on an answer: one of them behind a prefix that is not known is no accident."""
AMONG_KAFKA = ("retries", "message.send.max.retries")
"""The same, if the prefix tells of Kafka or of a producer; other programs use such names as well."""


@cache
def known() -> dict[str, frozenset[str]]:
    """The names by the part of Kafka that knows them."""
    text = resources.files(__package__).joinpath("names.toml").read_text("utf-8")
    found = {part: frozenset(names.split()) for part, names in tomllib.loads(text).items()}
    return {part: names | set(EXTRA.get(part, ())) for part, names in found.items()}


def squashed(name: str) -> str:
    """A name without dots, dashes, underscores and capitals: two spellings of one name become the same."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@cache
def spellings(part: str) -> dict[str, str]:
    """The names of a part by their squashed spelling."""
    return {squashed(name): name for name in sorted(known()[part])}


def named(text: str, *parts: str) -> str:
    """The name that is meant by a spelling, in the first of some parts that has it; empty if none has."""
    return next((found for part in parts if (found := spellings(part).get(squashed(text)))), "")


@cache
def _endings() -> list[tuple[str, bool]]:
    plain = [(squashed(name), False) for name in DECISIVE] + [(squashed(name), True) for name in AMONG_KAFKA]
    return sorted(plain, key=lambda each: -len(each[0]))


INTERNAL = re.compile(r"(storage|topics?|log|license|balancer|metrics|reporter|internal|registry|center|link)$")
"""What a topic of a program's own is called, before `.replication.factor`."""


def decisive(name: str) -> bool:
    """Whether a key with any prefix may be a setting that decides on an answer."""
    own, _, _ = re.sub(r"[_\-]", ".", name.lower()).partition(".replication.factor")
    if own != name.lower() and INTERNAL.search(own):
        return False
    words = [word for word in re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", ".", name).lower()) if word]
    tails = {"".join(words[at:]) for at in range(len(words))}
    about = any(word in ("kafka", "producer", "producers") for word in words)
    return any(ending in tails and (about or not only) for ending, only in _endings())
