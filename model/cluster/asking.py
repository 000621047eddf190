"""A request of Kafka's own protocol to one given broker: a client of Kafka chooses the broker by itself."""

from __future__ import annotations

from typing import Any

from ..conformance.classes import kafka, taken, wrapped
from .wire import exchanged


def asked(port: int, api: str, version: int, data: Any) -> tuple[Any, Any]:
    """The decoded answer of the broker at a port: the class of the answer reads it after its header, in a version."""
    import jpype

    keys, spoken = getattr(kafka("ApiKeys"), api), jpype.JShort(version)
    header = kafka("RequestHeader")(keys, spoken, "everystate", 0)
    buffer = kafka("RequestUtils").serialize(header.data(), header.headerVersion(), data, spoken)
    answer = wrapped(exchanged(port, taken(buffer)))
    kafka("ResponseHeader").parse(answer, keys.responseHeaderVersion(spoken))
    return kafka("ByteBufferAccessor")(answer), spoken
