"""Who leads the topic, in which epoch and with whom in sync, as a broker tells clients: whether it moved by itself."""

from __future__ import annotations

from typing import NamedTuple

from ..conformance.classes import java, kafka, taken, wrapped
from ..conformance.codec import TOPIC
from .wire import exchanged

VERSION = 12
"""Of the metadata request: the first one that names topics by id, too; all of Kafka 4 speak it."""


class Leadership(NamedTuple):
    """Of one partition; an election has a new epoch, also where the same broker leads again."""

    leader: int
    epoch: int
    in_sync: tuple[int, ...]


def leadership(port: int) -> list[Leadership]:
    """What a broker tells, by partition."""
    import jpype

    keys, version = kafka("ApiKeys").METADATA, jpype.JShort(VERSION)
    data = kafka("MetadataRequestData")()
    data.setAllowAutoTopicCreation(False)
    data.setTopics(
        java("java.util.Arrays").asList([kafka("MetadataRequestData$MetadataRequestTopic")().setName(TOPIC)])
    )
    header = kafka("RequestHeader")(keys, version, "everystate", 0)
    buffer = kafka("RequestUtils").serialize(header.data(), header.headerVersion(), data, version)
    answer = wrapped(exchanged(port, taken(buffer)))
    kafka("ResponseHeader").parse(answer, keys.responseHeaderVersion(version))
    told = kafka("MetadataResponseData")(kafka("ByteBufferAccessor")(answer), version)
    found = next(iter(told.topics())).partitions()
    return [
        Leadership(int(p.leaderId()), int(p.leaderEpoch()), tuple(sorted(int(n) for n in p.isrNodes())))
        for p in sorted(found, key=lambda p: int(p.partitionIndex()))
    ]
