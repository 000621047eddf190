"""Mistakes of a driver, made on purpose in a process with Kafka's classes; the broker is played at a real socket."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from everystate.model.cluster.admin import Admin
from everystate.model.cluster.brokers import Brokers
from everystate.model.cluster.client import BrokerClient, Names
from everystate.model.cluster.probe import too_far_ahead, with_wrong_checksum
from everystate.model.cluster.producers import producers
from everystate.model.cluster.wire import SIZE, Wire
from everystate.model.conformance.classes import kafka, taken, wrapped
from everystate.model.conformance.clock import Clock
from everystate.model.conformance.codec import (
    NO_ERROR,
    TOPIC,
    Answer,
    Frame,
    Produced,
    produce_answer,
    producer_id_answer,
    read_frame,
    topic_id,
)
from everystate.model.conformance.driver import NotJudged
from everystate.model.conformance.process import Line
from everystate.model.conformance.real_client import Settings

PID = 77


class Played:
    """A broker: `answer` says what it answers to a produce request, `shift` is added to its correlation ids."""

    def __init__(self, answer: Callable[[Frame], Answer] = lambda frame: Answer(NO_ERROR, 0)) -> None:
        self.answer, self.shift = answer, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.lines: list[tuple[socket.socket, bytearray]] = []
        self.read: list[Frame] = []

    def serve(self) -> None:
        """Take connections, read what has arrived, and answer it."""
        with contextlib.suppress(BlockingIOError):
            while True:
                line, _ = self.listener.accept()
                line.setblocking(False)
                self.lines.append((line, bytearray()))
        for line, buffer in self.lines:
            with contextlib.suppress(BlockingIOError):
                buffer += line.recv(1 << 16)
            while len(buffer) >= 4 and len(buffer) >= 4 + SIZE.unpack_from(buffer)[0]:
                (size,) = SIZE.unpack_from(buffer)
                self._answer(line, _read(bytes(buffer[4 : 4 + size])))
                del buffer[: 4 + size]

    def _answer(self, line: socket.socket, frame: Frame) -> None:
        self.read.append(frame)
        data = producer_id_answer(frame, PID, 0) if frame.batch is None else produce_answer(frame, self.answer(frame))
        (correlation,) = SIZE.unpack_from(data)
        data = SIZE.pack(correlation + self.shift) + data[4:]
        line.sendall(SIZE.pack(len(data)) + data)

    def produced(self) -> int:
        """How many produce requests it has read."""
        return sum(frame.batch is not None for frame in self.read)

    def close(self) -> None:
        for line, _ in self.lines:
            line.close()
        self.listener.close()


def _read(data: bytes) -> Frame:
    """A request; of a batch with a wrong checksum nothing is known."""
    if _batch(data) is None or _batch(data).isValid():
        return read_frame(data)
    return Frame(kafka("RequestHeader").parse(wrapped(data)), "Produce", Produced(0, (), -1, -1, -1, None), data)


def _batch(data: bytes) -> Any:
    """The batch of a produce request as Kafka's own class."""
    buffer = wrapped(data)
    header = kafka("RequestHeader").parse(buffer)
    if str(header.apiKey().name) != "Produce":
        return None
    request = kafka("ProduceRequest").parse(kafka("ByteBufferAccessor")(buffer), header.apiVersion())
    (topic,) = request.data().topicData()
    (partition,) = topic.partitionData()
    (batch,) = partition.records().batches()
    return batch


class Scene:
    """The real client with batch 0 drained, and the driver, before a played broker."""

    def __init__(self, played: Played) -> None:
        self.played, self.told = played, list[tuple[str, Any]]()
        self.driver = driver = Brokers.__new__(Brokers)
        driver.setup = SimpleNamespace(replicas=1, partitions=1, batches=2)  # type: ignore[assignment]
        driver.leader, driver.sent, driver.names, driver.written = 0, [], Names(), [[]]
        driver.answers, driver.logs, driver.acknowledged = {0: []}, [[SimpleNamespace(end=0, batches=list)]], {}
        driver.admin = SimpleNamespace(until=self.until, set_topic=self.set_topic)  # type: ignore[assignment]
        driver._port = lambda node: played.port  # type: ignore[method-assign]
        driver.known, driver.gate = 0, SimpleNamespace(data=0)  # type: ignore[assignment]
        driver.wire = Wire(driver._port)
        driver.client = client = BrokerClient(
            Settings(1, 1, 5, 5, False, 0), Clock(1_000_000), driver.wire, driver.names, topic_id(), self.until
        )
        client.learn_leader(0)
        for record in range(2):
            client.append(record, 0)
            client.drain(0)

    def until(self, what: str, condition: Callable[[], Any]) -> Any:
        for _ in range(1000):
            self.played.serve()
            found = condition()
            if found:
                return found
        raise TimeoutError(what)

    def set_topic(self, name: str, value: Any) -> None:
        self.told.append((name, value))


def attacked(line: Line) -> dict[str, Any]:
    """By attack what came of it."""
    attacks = (
        written_twice,
        answer_of_another,
        late_answer_of_another,
        producer_id_of_another,
        probe_that_is_accepted,
        probe_that_is_refused,
        probes,
        answered_late,
        answered_before,
        read_before_a_late_one,
        producers_of_each_broker,
    )
    found: dict[str, Any] = {}
    for attack in attacks:
        played = Played()
        try:
            found[attack.__name__] = attack(played)
        finally:
            played.close()
    return found


def _mistake(what: Callable[[], Any]) -> str:
    try:
        what()
    except AssertionError as error:
        return str(error)
    return "it was not noticed"


def written_twice(played: Played) -> Any:
    scene = Scene(played)
    frame = scene.driver.client.frames[0][0]
    scene.driver.handle(0)
    scene.driver.answers[0].clear()  # the mistake: the driver forgets that it was handled
    return _mistake(lambda: scene.driver.handle(0)), played.produced(), scene.driver.sent == [frame]


def answer_of_another(played: Played) -> Any:
    scene = Scene(played)
    played.shift = 1
    return _mistake(lambda: scene.driver.handle(0)), scene.driver.answers[0]


def late_answer_of_another(played: Played) -> Any:
    """The answer is there only after the append, when the driver looks at everything."""
    scene = Scene(played)
    scene.driver.answers[0].append(Answer(NO_ERROR, 0))
    scene.driver.wire.to(0).answers.append(produce_answer(scene.driver.client.frames[0][0], Answer(NO_ERROR, 0)))
    scene.driver.settle()
    fine = scene.driver.answers[0][0]
    scene.driver.wire.to(0).answers[0] = SIZE.pack(999) + scene.driver.wire.to(0).answers[0][4:]
    return fine.code, _mistake(scene.driver.settle)


def producer_id_of_another(played: Played) -> Any:
    played.shift = -1
    return _mistake(lambda: Scene(played))


def probe_that_is_accepted(played: Played) -> Any:
    scene = Scene(played)
    return _mistake(lambda: scene.driver.find_too_large(0)), played.produced(), scene.driver.sent, scene.told


def probe_that_is_refused(played: Played) -> Any:
    """The broker takes a moment until a config is in force; then comes the request itself, and the config goes."""
    scene, looks = Scene(played), list[str]()

    def answer(frame: Frame) -> Answer:
        assert frame.batch is not None
        wrong = frame.batch.records is None
        slow = len(scene.told) == 1 and len(looks) < 2
        small = len(scene.told) == 1 and not slow
        looks.append("MESSAGE_TOO_LARGE" if small else "CORRUPT_MESSAGE" if wrong else NO_ERROR)
        return Answer(looks[-1])

    played.answer = answer
    scene.driver.find_too_large(0)
    return looks, [found.code for found in scene.driver.answers[0]], scene.told, len(scene.driver.sent)


def probes(played: Played) -> Any:
    """What they are to Kafka's own class: the first has a wrong checksum, the second is right and far ahead."""
    frame = Scene(played).driver.client.frames[0][0]
    found = []
    for data in (frame.data, with_wrong_checksum(frame), too_far_ahead(frame)):
        batch = _batch(data)
        told = int(batch.producerId()), int(batch.producerEpoch()), int(batch.baseSequence())
        found.append((bool(batch.isValid()), *told, len(data) == len(frame.data)))
    return found


def answered_late(played: Played) -> Any:
    """The answer lies in the socket from the append on, and is looked at in the step that says so."""
    return _late(played, "REQUEST_TIMED_OUT")


def answered_before(played: Played) -> Any:
    """The broker did not wait, so the step was not taken: that is told, not compared."""
    return _late(played, "NOT_ENOUGH_REPLICAS_AFTER_APPEND")


def _late(played: Played, code: str) -> Any:
    scene = Scene(played)
    (log,) = scene.driver.logs[0]

    def answer(frame: Frame) -> Answer:
        log.end = 1
        return Answer(code)

    played.answer = answer
    scene.driver.late = True
    scene.driver.handle(0)
    played.serve()
    scene.driver.settle()
    before = [found.code for found in scene.driver.answers[0]]
    try:
        scene.driver.answer_late(0)
    except NotJudged as reason:
        return before, str(reason)
    data, sent = scene.driver.sent[0].data, played.read[-1].data
    changed = sum(one != other for one, other in zip(data, sent, strict=True))
    return (
        before,
        [found.code for found in scene.driver.answers[0]],
        1 <= changed <= 4,
        _batch(data).equals(_batch(sent)),
    )


def read_before_a_late_one(played: Played) -> Any:
    """The producer reads the answer of batch 0 while that of batch 1 is not to be looked at: nothing is let go."""
    scene = Scene(played)
    driver, released = scene.driver, list[int]()
    driver._release = lambda offset: released.append(offset)  # type: ignore[method-assign]
    driver.handle(0)
    (log,) = driver.logs[0]

    def answer(frame: Frame) -> Answer:
        log.end = 1
        return Answer("REQUEST_TIMED_OUT")

    played.answer = answer
    driver.late = True
    driver.handle(0)
    driver.late = False
    driver.read(0)
    left = [found.code for found in driver.answers[0]]
    driver.answer_late(0)
    return released, left, [found.code for found in driver.answers[0]]


def producers_of_each_broker(played: Played) -> Any:
    """The leader knows a producer of each partition, the follower nobody any more, and both are asked (KAFKA-17663)."""
    with knowing({0: (PID, 1, 4), 1: (PID + 1, 0, 2)}) as leader, knowing({0: None}) as follower:
        admin = Admin.__new__(Admin)
        admin.bootstrap, admin.alive = f"127.0.0.1:{leader},127.0.0.1:{follower}", lambda: None
        found = [admin.producers(0), admin.producers(0, 1), admin.producers(1)]
        return found, [producers(port, 1) for port in (leader, follower)]


@contextlib.contextmanager
def knowing(known: dict[int, tuple[int, int, int] | None]) -> Iterator[int]:
    """The port of a broker that knows of each partition a producer, its epoch and newest sequence, or nobody.

    Of any other partition it says that it has no replica.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    with listener.accept()[0] as line:
                        (size,) = SIZE.unpack(line.recv(SIZE.size, socket.MSG_WAITALL))
                        answer = _described(line.recv(size, socket.MSG_WAITALL), known)
                        line.sendall(SIZE.pack(len(answer)) + answer)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)


def _described(data: bytes, known: dict[int, tuple[int, int, int] | None]) -> bytes:
    """The answer to DescribeProducers, as Kafka's own classes write it."""
    buffer = wrapped(data)
    header = kafka("RequestHeader").parse(buffer)
    asked = kafka("DescribeProducersRequestData")(kafka("ByteBufferAccessor")(buffer), header.apiVersion())
    (topic,) = asked.topics()
    (partition,) = topic.partitionIndexes()
    told = kafka("DescribeProducersResponseData$PartitionResponse")().setPartitionIndex(partition)
    if str(topic.name()) != TOPIC or int(partition) not in known:
        told.setErrorCode(kafka("Errors").NOT_LEADER_OR_FOLLOWER.code())
    elif (row := known[int(partition)]) is not None:
        state = kafka("DescribeProducersResponseData$ProducerState")()
        told.activeProducers().add(state.setProducerId(row[0]).setProducerEpoch(row[1]).setLastSequence(row[2]))
    answer = kafka("DescribeProducersResponseData$TopicResponse")().setName(topic.name())
    answer.partitions().add(told)
    response = kafka("DescribeProducersResponseData")()
    response.topics().add(answer)
    own = header.toResponseHeader()
    return taken(kafka("RequestUtils").serialize(own.data(), own.headerVersion(), response, header.apiVersion()))
