"""The producers that a replica knows, according to its own broker.

The Admin client accepts the number of a broker for that (DescribeProducersOptions), but since 4.0 it queries the leader
in its cache instead, once it has one (KAFKA-17663, AdminApiDriver).
"""

from __future__ import annotations

from ..conformance.classes import java, kafka
from ..conformance.codec import TOPIC
from .asking import asked


def producers(port: int, partition: int) -> dict[int, tuple[int, int]] | None:
    """The producers that a broker knows, by id: epoch and newest sequence. None where it answers with an error."""
    topic = kafka("DescribeProducersRequestData$TopicRequest")().setName(TOPIC)
    topic.partitionIndexes().add(java("java.lang.Integer").valueOf(partition))
    data = kafka("DescribeProducersRequestData")()
    data.topics().add(topic)
    reply = kafka("DescribeProducersResponseData")(*asked(port, "DESCRIBE_PRODUCERS", 0, data))
    found = next(iter(next(iter(reply.topics())).partitions()))
    if found.errorCode():
        return None
    return {int(p.producerId()): (int(p.producerEpoch()), int(p.lastSequence())) for p in found.activeProducers()}
