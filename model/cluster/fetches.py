"""Decodes the fetches between brokers for a topic, with Kafka's own protocol classes."""

from __future__ import annotations

from typing import Any

from ..conformance.classes import kafka, wrapped
from .gate import Gate
from .proxy import Frame


class TopicGate(Gate):
    """The gate for the one topic whose id is `topic`."""

    def asked(self, request: Frame) -> int:
        buffer = wrapped(request.data)
        header = kafka("RequestHeader").parse(buffer)
        data = kafka("FetchRequestData")(kafka("ByteBufferAccessor")(buffer), header.apiVersion())
        return max((int(p.fetchOffset()) for t in data.topics() if self._is(t) for p in t.partitions()), default=-1)

    def brought(self, answer: Frame) -> int:
        import jpype

        version = jpype.JShort(answer.version)
        buffer = wrapped(answer.data)
        kafka("ResponseHeader").parse(buffer, kafka("ApiKeys").FETCH.responseHeaderVersion(version))
        data = kafka("FetchResponseData")(kafka("ByteBufferAccessor")(buffer), version)
        found = [p.records() for t in data.responses() if self._is(t) for p in t.partitions()]
        batches = [batch for records in found if records is not None for batch in records.batches()]
        return max((int(batch.nextOffset()) for batch in batches), default=-1)

    def _is(self, topic: Any) -> bool:
        return str(topic.topicId().toString()) == self.topic
