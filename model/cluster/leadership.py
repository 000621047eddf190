"""Who leads the topic, in which epoch and with whom in sync, as a broker tells clients: whether it moved by itself."""

from __future__ import annotations

from typing import NamedTuple

from ..conformance.classes import java, kafka
from ..conformance.codec import TOPIC
from .asking import asked

VERSION = 12
"""Of the metadata request: the first one that names topics by id, too; all of Kafka 4 speak it."""


class Leadership(NamedTuple):
    """Of one partition; an election has a new epoch, also where the same broker leads again."""

    leader: int
    epoch: int
    in_sync: tuple[int, ...]


def leadership(port: int) -> list[Leadership]:
    """What a broker tells, by partition."""
    data = kafka("MetadataRequestData")()
    data.setAllowAutoTopicCreation(False)
    data.setTopics(
        java("java.util.Arrays").asList([kafka("MetadataRequestData$MetadataRequestTopic")().setName(TOPIC)])
    )
    reply = kafka("MetadataResponseData")(*asked(port, "METADATA", VERSION, data))
    found = next(iter(reply.topics())).partitions()
    return [
        Leadership(int(p.leaderId()), int(p.leaderEpoch()), tuple(sorted(int(n) for n in p.isrNodes())))
        for p in sorted(found, key=lambda p: int(p.partitionIndex()))
    ]
