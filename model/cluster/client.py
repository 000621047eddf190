"""The step-driven real client on a real cluster: producer id and topic are the cluster's.

Producer ids differ from run to run, so they are compared by session: the first one is FIRST_PID, as on the model's
side, and those of others begin at FOREIGN_PID.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..conformance.classes import kafka, wrapped
from ..conformance.clock import Clock
from ..conformance.codec import NO_ERROR, Answer, Frame, Produced, producer_id_answer, read_frame
from ..conformance.numbers import FIRST_PID, FOREIGN_PID
from ..conformance.real_client import COORDINATOR, RealClient, Settings
from .wire import Wire


class Names:
    """Producer ids of the cluster as the model's."""

    def __init__(self) -> None:
        self.own: dict[int, int] = {}

    def add(self, pid: int) -> None:
        """A producer id of the replay; each is one session."""
        self.own.setdefault(pid, FIRST_PID + len(self.own))

    def of(self, pid: int) -> int:
        """The name for a producer id."""
        return pid if pid < 0 else self.own.get(pid, FOREIGN_PID + pid)

    def batch(self, batch: Produced) -> Produced:
        """A batch under the name of its producer."""
        return replace(batch, pid=self.of(batch.pid))


class BrokerClient(RealClient):
    """One producer of a cluster; `until` waits for a condition."""

    first_leader_epoch = 1_000_000
    """Above those of the cluster: so the leader in an answer (KIP-951) is never newer, and the client learns of a
    leader from the driver only."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        wire: Wire,
        names: Names,
        topic: Any,
        until: Callable[[str, Callable[[], Any]], Any],
    ) -> None:
        self.wire, self.names, self.topic, self.until = wire, names, topic, until
        super().__init__(settings, clock, -1)

    def topic_id(self) -> Any:
        return self.topic

    def read_frame(self, data: bytes) -> Frame:
        frame = read_frame(data)
        return frame if frame.batch is None else replace(frame, batch=self.names.batch(frame.batch))

    def give_producer_id(self, pid: int) -> None:
        """Request a producer id from the cluster, as the client does. The answer changes only to begin near the last
        epoch."""
        assert [frame.api for frame in self.frames[COORDINATOR]] == ["InitProducerId"]
        frame = self.frames[COORDINATOR][0]
        data, found = self.until("a broker gives a producer id", lambda: self._ask_for_id(frame))
        self.names.add(found)
        if self.settings.first_epoch:
            data = producer_id_answer(frame, found, self.settings.first_epoch)
        self.first_pair = (self.names.of(found), self.settings.first_epoch)
        self.read(COORDINATOR, data)

    def _ask_for_id(self, frame: Frame) -> tuple[bytes, int] | None:
        """Ask once; a broker that has no block of ids yet answers that it is loading."""
        connection = self.wire.to(COORDINATOR)
        connection.send(frame.data)
        data: bytes = self.until("a broker answers InitProducerId", lambda: connection.poll() and connection.pop())
        reply = parsed(frame, data, "InitProducerIdResponseData")
        return (data, int(reply.producerId())) if int(reply.errorCode()) == 0 else None

    def pair(self) -> tuple[int, int]:
        pid, epoch = super().pair()
        return self.names.of(pid), epoch

    def _pair_of(self, partition: Any, batches: list[Any]) -> tuple[int, int]:
        pid, epoch = super()._pair_of(partition, batches)
        return self.names.of(pid), epoch


@dataclass(frozen=True)
class Received(Answer):
    """An answer that has arrived; `data` are its bytes."""

    data: bytes = b""


def parsed(frame: Frame, data: bytes, message: str) -> Any:
    """The message of an answer."""
    buffer = wrapped(data)
    version = frame.header.apiVersion()
    header = kafka("ResponseHeader").parse(buffer, frame.header.apiKey().responseHeaderVersion(version))
    if int(header.correlationId()) != int(frame.header.correlationId()):
        raise AssertionError("the driver took the answer to another request")
    return kafka(message)(kafka("ByteBufferAccessor")(buffer), version)


def received(frame: Frame, data: bytes) -> Received:
    """An answer to a produce request from its bytes. The offset of an error after the append (B6.5) is ignored."""
    reply = parsed(frame, data, "ProduceResponseData")
    partition = next(iter(next(iter(reply.responses())).partitionResponses()))
    code = str(kafka("Errors").forCode(partition.errorCode()).name())
    return Received(code, int(partition.baseOffset()) if code == NO_ERROR else -1, data=data)
