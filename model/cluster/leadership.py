"""The leader, epoch and in-sync set of a topic, as a broker reports them to clients: shows changes of leadership."""

from __future__ import annotations

from typing import NamedTuple

from ..conformance.classes import java, kafka
from ..conformance.codec import TOPIC
from .asking import asked

VERSION = 12
"""The version of the metadata request: the first one that names topics by id, too; all of Kafka 4 support it."""


class Leadership(NamedTuple):
    """Of one partition; an election has a new epoch, also where the same broker leads again."""

    leader: int
    epoch: int
    in_sync: tuple[int, ...]


def leadership(port: int) -> list[Leadership]:
    """The leadership of each partition, as a broker reports it."""
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
