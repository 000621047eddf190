"""The clients that are measured: Kafka's own producer, and one that writes prepared requests.

The second one has any number in flight. It does as KIP-1269 proposes: five until the first answer, which would contain
the window of the broker, and from then on as many as the window. In a run without a loss nothing is sent again, so it
is irrelevant that a broker of today remembers five.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from typing import Any, Protocol

from ..cluster.client import parsed, received
from ..cluster.properties import HOST
from ..cluster.waiting import wait
from ..cluster.wire import PIECE, SIZE
from ..conformance.classes import java, kafka
from ..conformance.codec import NO_ERROR, TOPIC, Frame
from ..conformance.driver import NotJudged
from .requests import produce_request, producer_id_request
from .timed import SMALLEST

OVERHEAD = 96
"""Bytes of a batch besides the value of its one record, at most."""
PATIENCE = 60.0
SERIALIZER = "org.apache.kafka.common.serialization.ByteArraySerializer"


class Client(Protocol):
    """Something that can write batches of one size."""

    def run(self, batches: int) -> float:
        """Write so many batches; returns the seconds from the first request to the last answer."""

    def close(self) -> None:
        """Release connections and threads."""


class RealProducer:
    """KafkaProducer with its thread, its clock and its sockets. Every record fills a batch, and nothing lingers."""

    def __init__(self, port: int, in_flight: int, size: int, idempotent: bool) -> None:
        import jpype

        config = java("java.util.HashMap")()
        for name, value in {
            "bootstrap.servers": f"{HOST}:{port}",
            "acks": "all",
            "batch.size": str(size),
            "delivery.timeout.ms": str(round(PATIENCE * 1000)),
            "enable.idempotence": str(idempotent).lower(),
            "linger.ms": "0",
            "max.in.flight.requests.per.connection": str(in_flight),
            "key.serializer": SERIALIZER,
            "value.serializer": SERIALIZER,
        }.items():
            config.put(name, value)
        self.producer = kafka("KafkaProducer")(config)
        value = jpype.JArray(jpype.JByte)(bytes(size - OVERHEAD))
        partition = java("java.lang.Integer").valueOf(0)
        self.record = java("org.apache.kafka.clients.producer.ProducerRecord")(TOPIC, partition, None, value)
        self.run(1)

    def run(self, batches: int) -> float:
        import jpype

        began = time.perf_counter()
        futures = [self.producer.send(self.record) for _ in range(batches)]
        self.producer.flush()
        seconds = time.perf_counter() - began
        try:
            futures[-1].get()
        except jpype.JException as error:
            raise NotJudged(f"the producer says {(error.getCause() or error).toString()}") from None
        return seconds

    def close(self) -> None:
        self.producer.close(java("java.time.Duration").ofSeconds(0))


class RawClient:
    """One connection, with a producer id of the cluster; the sequence continues from run to run."""

    def __init__(self, port: int, in_flight: int, window: int, size: int, topic: Any) -> None:
        self.in_flight, self.topic, self.value = in_flight, topic, bytes(size - OVERHEAD)
        self.socket = socket.create_connection((HOST, port), timeout=PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray()
        self.limit = SMALLEST
        self.sequence = 0
        [self.pid] = wait("a broker gives a producer id", self._producer_id)
        self.run(1)
        self.limit = max(SMALLEST, window)  # the window that the answer would contain

    def _producer_id(self) -> list[int]:
        """Ask once; a broker that has no block of ids yet answers that it is loading."""
        ask = producer_id_request()
        _, [answer] = self._exchange([ask], [])
        reply = parsed(ask, answer, "InitProducerIdResponseData")
        return [int(reply.producerId())] if int(reply.errorCode()) == 0 else []

    def run(self, batches: int) -> float:
        sequences = range(self.sequence, self.sequence + batches)
        frames = [produce_request(self.topic, self.pid, sequence, self.value) for sequence in sequences]
        self.sequence += batches
        return self.write(frames)

    def write(self, frames: Sequence[Frame]) -> float:
        """Write requests that were made before."""
        seconds, answers = self._exchange(frames, [])
        codes = {received(frame, data).code for frame, data in zip(frames, answers, strict=True)}
        if codes != {NO_ERROR}:
            raise NotJudged(f"the broker answered {', '.join(sorted(codes))}")
        return seconds

    def _exchange(self, frames: Sequence[Frame], answers: list[bytes]) -> tuple[float, list[bytes]]:
        """Write requests, never more in flight than allowed; returns the seconds that it takes, and the answers."""
        most, sent = min(self.in_flight, self.limit), 0
        data = [SIZE.pack(len(frame.data)) + frame.data for frame in frames]
        began = time.perf_counter()
        while len(answers) < len(frames):
            while sent < len(frames) and sent - len(answers) < most:
                self.socket.sendall(data[sent])
                sent += 1
            self._receive(answers)
        return time.perf_counter() - began, answers

    def _receive(self, answers: list[bytes]) -> None:
        try:
            found = self.socket.recv(PIECE)
        except TimeoutError:
            raise NotJudged(f"a broker answered nothing for {PATIENCE:.0f} seconds") from None
        if not found:
            raise NotJudged("the broker closed the connection")
        self.buffer += found
        while len(self.buffer) >= SIZE.size:
            (size,) = SIZE.unpack_from(self.buffer)
            if len(self.buffer) < SIZE.size + size:
                return
            answers.append(bytes(self.buffer[SIZE.size : SIZE.size + size]))
            del self.buffer[: SIZE.size + size]

    def close(self) -> None:
        self.socket.close()
