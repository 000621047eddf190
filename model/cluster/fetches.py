"""What the fetches between brokers say of a topic, read with Kafka's own protocol classes."""

from __future__ import annotations

from typing import Any

from ..conformance.classes import kafka, wrapped
from .gate import Gate


class TopicGate(Gate):
    """The gate for the one topic whose id is `topic`."""

    def asked(self, request: bytes) -> int:
        header, message = _request(request)
        data = kafka("FetchRequestData")(message, header.apiVersion())
        return max((int(p.fetchOffset()) for t in data.topics() if self._is(t) for p in t.partitions()), default=-1)

    def brought(self, request: bytes, answer: bytes) -> int:
        header, _ = _request(request)
        buffer = wrapped(answer)
        version = header.apiVersion()
        kafka("ResponseHeader").parse(buffer, header.apiKey().responseHeaderVersion(version))
        data = kafka("FetchResponseData")(kafka("ByteBufferAccessor")(buffer), version)
        found = [p.records() for t in data.responses() if self._is(t) for p in t.partitions()]
        batches = [batch for records in found if records is not None for batch in records.batches()]
        return max((int(batch.nextOffset()) for batch in batches), default=-1)

    def _is(self, topic: Any) -> bool:
        return str(topic.topicId().toString()) == self.topic


def _request(data: bytes) -> tuple[Any, Any]:
    """The header of a request, and what follows it."""
    buffer = wrapped(data)
    header = kafka("RequestHeader").parse(buffer)
    return header, kafka("ByteBufferAccessor")(buffer)
