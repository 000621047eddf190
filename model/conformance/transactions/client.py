"""A real transactional producer, step by step: the methods of KafkaProducer, and the passes of its Sender.

Each partition is led by a node of its own. Requests for the coordinator go out as soon as they may, so a request that
is ready to send counts as one on the connection to the coordinator. FindCoordinator is answered at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from ..classes import field, has, java, kafka
from ..clock import Clock
from ..codec import Answer, Frame, produce_answer
from ..real_client import COORDINATOR, DELIVERY_TIMEOUT, RealClient, Settings
from ..signatures import call
from .client_wire import FIND_COORDINATOR, CoordinatorRequest, answer_to, coordinator_answer, read_request

FOR_EVER = (1 << 31) - 1
READ, GROUP = "read", "group"
"""The topic that the application reads, and the group of which it is a member."""
PASSES = 12
"""Passes of the loop after which the client has sent everything."""


@dataclass
class Call:
    """A method of the application that waits: its name, Kafka's result, and how it ended."""

    name: str
    result: Any
    ended: str = ""


class TransactionalClient(RealClient):
    """One producer with a transactional id; `tv2`: the brokers' finalized features have transaction version 2.

    `last` is the last method of the application that waits, `thrown` the exception of the last one that failed at once.
    """

    transactional_id = "id"

    def __init__(self, partitions: int, tv2: bool, clock: Clock) -> None:
        self.settings = Settings(partitions, partitions, 5, FOR_EVER, False, 0)
        self.clock, self.tv2 = clock, tv2
        self._begin()
        self._build()
        for node in self.frames:
            self.connect(node)
        self.learn_leaders(list(range(partitions)))
        self.last: Call | None = None
        self.batches: dict[int, Any] = {}

    def connect(self, node: int) -> None:
        """Open the connection to a node, which reports its versions and features."""
        super().connect(node)
        if node == COORDINATOR:
            self.versions.update(str(node), _versions(self.tv2))

    # -- the application -----------------------------------------------------------------------------------

    def init_transactions(self) -> None:
        """initTransactions"""
        self._call("initTransactions", call(self.manager, "TransactionManager", "initializeTransactions"))

    def begin_transaction(self) -> None:
        """beginTransaction"""
        self.manager.beginTransaction()

    def send(self, record: int, partition: int) -> None:
        """What KafkaProducer.send does: the record goes into the accumulator, the partition into the transaction."""
        self.append(record, partition)
        add = next(name for name in ADDS if has("TransactionManager", name))
        getattr(self.manager, add)(self.partitions[partition])
        self.batches[record] = self._queue(partition).peekLast()
        self.settle()

    def refuse(self) -> None:
        """send, for a record that is too large: the transaction can only be aborted, from 3.2 on"""
        error = java("org.apache.kafka.common.errors.RecordTooLargeException")("")
        self.manager.maybeTransitionToErrorState(error)

    def send_offset(self, partition: int, offset: int) -> None:
        """sendOffsetsToTransaction, up to where it waits: the group's offset of a partition that it reads"""
        offsets = java("java.util.HashMap")()
        offsets.put(kafka("TopicPartition")(READ, partition), kafka("OffsetAndMetadata")(offset))
        result = self.manager.sendOffsetsToTransaction(offsets, kafka("ConsumerGroupMetadata")(GROUP))
        self._call("sendOffsetsToTransaction", result)

    def commit(self) -> None:
        """commitTransaction, up to where it waits"""
        self._call("commitTransaction", self.manager.beginCommit())

    def abort(self) -> None:
        """abortTransaction, up to where it waits"""
        self._call("abortTransaction", self.manager.beginAbort())

    def _call(self, name: str, result: Any) -> None:
        self.last = Call(name, result)
        self.settle()

    def _await(self) -> None:
        """The application gets the result of its call."""
        import jpype

        waits = self.last
        if waits is None or waits.ended or not waits.result.isCompleted():
            return
        try:
            _wait_for(waits.result)
            waits.ended = OK
        except jpype.JException as error:
            waits.ended = str(error.getClass().getSimpleName())
        if waits.name == "initTransactions" and has("TransactionManager", UPDATES):
            call(self.manager, "TransactionManager", UPDATES)

    # -- the loop ------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Passes of the loop until it has nothing more for the coordinator; no record is drained."""
        for _ in range(PASSES):
            before = self._resting()
            self._pass({COORDINATOR})
            self._look_up()
            self._await()
            if before == self._resting():
                return
        raise AssertionError("the client does not come to rest")

    def _resting(self) -> tuple[Any, ...]:
        waiting = field("TransactionManager", "pendingRequests").get(self.manager)
        return len(self.frames[COORDINATOR]), int(waiting.size()), self.state()

    def _look_up(self) -> None:
        """A FindCoordinator is answered."""
        for frame in [frame for frame in self.frames[COORDINATOR] if frame.api == FIND_COORDINATOR]:
            self.frames[COORDINATOR].remove(frame)
            self.channel.deliver(COORDINATOR, coordinator_answer(frame, COORDINATOR))
            self.poll()

    def drain(self, partition: int) -> None:
        """One pass in which the record of a partition may go to its leader."""
        self._used.add(partition)
        self._pass({partition, COORDINATOR})

    def expire_record(self, record: int) -> None:
        """The delivery timeout of a record passes, and of no other one."""
        import jpype

        field("ProducerBatch", "createdMs").setLong(
            self.batches[record], jpype.JLong(self.clock.now - DELIVERY_TIMEOUT)
        )
        self.start_pass()
        self.settle()

    def hear(self, partition: int, code: str, offset: int) -> None:
        """The answer of a leader."""
        self.read(partition, produce_answer(self.frames[partition][0], Answer(code, offset)))
        self.settle()

    def asks(self) -> Frame | None:
        """The unanswered request to the coordinator."""
        frames = self.frames[COORDINATOR]
        assert len(frames) < 2, "one request to the coordinator at a time"
        return frames[0] if frames else None

    def asked(self) -> CoordinatorRequest | None:
        """The content of the request."""
        frame = self.asks()
        return None if frame is None else read_request(frame)

    def told(self, code: str, pair: tuple[int, int] | None = None) -> None:
        """The answer of the coordinator."""
        frame = self.asks()
        assert frame is not None, "there is no request to the coordinator"
        self.read(COORDINATOR, answer_to(frame, code, pair))
        self._await()
        self.settle()

    def lose(self, node: int) -> None:
        """A connection is lost, and made again."""
        super().lose(node)
        self.settle()

    # -- observations --------------------------------------------------------------------------------------

    def state(self) -> str:
        """TransactionManager.State"""
        return str(field("TransactionManager", "currentState").get(self.manager).name())

    def pair(self) -> tuple[int, int]:
        """Producer id and epoch in use."""
        found = field("TransactionManager", "producerIdAndEpoch").get(self.manager)
        return int(found.producerId), int(found.epoch)

    def next_sequence(self, partition: int) -> int:
        """The sequence of the next record of a partition."""
        return self.sequences.next(self.partitions[partition])


OK = "ok"
ADDS = ("maybeAddPartition", "maybeAddPartitionToTransaction")
"""The method by which a partition joins a transaction; the second up to 2.8."""
UPDATES = "maybeUpdateTransactionV2Enabled"
FEATURE, TV2, FEATURES_EPOCH = "transaction.version", 2, 1


def _wait_for(result: Any) -> None:
    """TransactionalRequestResult.await of a result that is there; from 4.2 on it wants to know for how long."""
    if any(not len(each.getParameterTypes()) for each in _waits()):
        result.await_()
    else:
        result.await_(0, java("java.util.concurrent.TimeUnit").SECONDS, "")


@cache
def _waits() -> list[Any]:
    methods = kafka("TransactionalRequestResult").class_.getDeclaredMethods()
    return [each for each in methods if str(each.getName()) == "await"]


def _versions(tv2: bool) -> Any:
    """The versions that a broker of the client's own release supports."""
    import jpype

    known = kafka("NodeApiVersions").create()
    if not tv2:
        return known
    feature = kafka("ApiVersionsResponseData$FinalizedFeatureKey")().setName(FEATURE)
    feature.setMaxVersionLevel(jpype.JShort(TV2)).setMinVersionLevel(jpype.JShort(TV2))
    lists = java("java.util.Collections")
    apis = known.allSupportedApiVersions().values()
    return kafka("NodeApiVersions")(apis, lists.emptyList(), lists.singletonList(feature), jpype.JLong(FEATURES_EPOCH))
