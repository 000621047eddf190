"""The cluster of a replay: the real client, and real brokers instead of logs and simulated parts.

It is stepped by the same table as Kafka's classes (conformance/mapping.py). A request is written when it is to be
handled; then the driver waits for the effects in the cluster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..conformance.cluster import TIMED_OUT
from ..conformance.codec import NO_ERROR, Answer, Frame
from ..conformance.driver import OTHERS, NotJudged
from ..conformance.real_client import COORDINATOR
from .client import Received, received
from .late import impatient
from .probe import too_far_ahead, with_wrong_checksum
from .replicas import Replicas
from .wire import Connection

GRACE = 0.3
"""Seconds for actions that a broker began under a config that was changed since: three rounds of retention."""


class Brokers(Replicas):
    """The brokers of a replay, with the commands for them.

    `late` says that the answer to the next request that is handled is to come too late.
    """

    late = False

    # -- requests ------------------------------------------------------------------------------------------

    def handle(self, broker: int) -> None:
        self._release_all(broker)  # B7: a broker reads a request when the one before it is answered
        frame, connection = self.next_frame(broker), self.wire.to(broker)
        data = impatient(frame) if self.late else frame.data
        connection.unread = self.late
        self.answers[broker].append(self._execute(connection, broker, frame, data))

    def answer_late(self, broker: int) -> None:
        """The broker has given up waiting for its follower (B6.4); its answer is examined."""
        connection, place = self.wire.to(broker), len(self.answers[broker]) - 1
        connection.unread = False
        self.admin.until(f"broker {broker} gives up waiting", lambda: len(connection.poll()) > place)
        self.settle()
        code = self.answers[broker][place].code
        if code != TIMED_OUT:
            raise NotJudged(f"broker {broker} had answered {code} before it gave up waiting")

    def produce(self, frame: Frame) -> Answer:
        """A request of a connection that the client has lost."""
        return self._execute(self.afterlife.pop(0), self.leader, frame, frame.data)

    def _execute(self, connection: Connection, broker: int, frame: Frame, data: bytes) -> Answer:
        """Let a broker read a request: returns when it answers, or has appended the batch and waits for followers."""
        assert frame.batch is not None
        log = self.logs[broker][frame.batch.partition]
        end = log.end
        self._release_copies(log, frame.batch)
        if any(each is frame for each in self.sent):
            raise AssertionError("the driver writes a request twice; what that leaves is not the producer's")
        self.sent.append(frame)
        connection.send(data)

        def done() -> bool:
            connection.poll()
            return connection.arrived == connection.sent or log.end > end

        self.admin.until(f"broker {broker} handles a request", done)
        if log.end > end:
            self.written[frame.batch.partition].append((end, frame.batch.ids))
        if connection.arrived == connection.sent and connection.answers:
            return self.placed(frame, received(frame, connection.answers[-1]))
        return self.placed(frame, Answer(NO_ERROR, end))

    def read(self, broker: int) -> None:
        connection = self.wire.to(broker)
        for frame, answer in self._waiting(broker):
            if frame is self.client.frames[broker][0]:
                assert frame.batch is not None
                self._release(answer.offset + len(frame.batch.ids))
        self.admin.until(f"an answer of broker {broker} arrives", connection.poll)
        self.settle()
        super().read(broker)
        connection.pop()

    def bytes_of(self, frame: Frame, answer: Answer) -> bytes:
        assert isinstance(answer, Received)
        return answer.data

    def give_producer_id(self) -> None:
        self.sessions += 1
        self._close(COORDINATOR)
        self.client.give_producer_id(-1)

    # -- configs -------------------------------------------------------------------------------------------

    def answer(self, broker: int, code: str) -> None:
        """An answer that does not depend on the log: the broker is made to give it."""
        minimum = str(self.setup.min_insync)
        if code == "NOT_ENOUGH_REPLICAS":
            few = str(max(self.setup.replicas, 2))
            self._without_follower(lambda: self._under("min.insync.replicas", few, minimum, broker, code))
        else:  # a compacted topic takes no record without a key
            self._under("cleanup.policy", "compact", None, broker, code)

    def _without_follower(self, action: Callable[[], None]) -> None:
        """Run a function while the follower is down; it leaves the in-sync set when it shuts down, and joins it again.

        min.insync.replicas never requires more replicas than there are.
        """
        if not self.in_sync:
            action()
            return
        idle = [broker for broker in self.followers() if not self.client.frames[broker]]
        if not idle:
            raise NotJudged("there is no follower that could be stopped without a loss of requests")
        self._end(idle[0], clean=True)
        action()
        self._come_back(idle[0])

    def find_too_large(self, broker: int) -> None:
        self._under("max.message.bytes", "10", None, broker, "MESSAGE_TOO_LARGE")

    def _under(self, config: str, value: str, before: str | None, broker: int, code: str) -> None:
        """Let a broker handle its next request under another config of the topic.

        A probe request, which is refused differently once the config is in force, shows when it is.
        """
        frame = self.next_frame(broker)
        make = too_far_ahead if code == "INVALID_RECORD" else with_wrong_checksum
        if make is too_far_ahead and self._unknown(broker, frame):
            raise NotJudged("whether a topic is compacted yet cannot be asked before the broker knows the producer")
        data = make(frame)

        def found() -> str:
            connection = Connection(self._port(broker))
            try:
                connection.send(data)
                self.admin.until(f"broker {broker} answers", connection.poll)
                code = received(frame, connection.pop()).code
                if code == NO_ERROR:
                    raise AssertionError("a request that was to be refused was not")
                return code
            finally:
                connection.close()

        self.admin.set_topic(config, value)
        self.admin.until(f"{config}={value} is in force", lambda: found() == code)
        self.handle(broker)
        self.admin.set_topic(config, before)
        self.admin.until(f"{config} is as it was", lambda: found() != code)

    def _unknown(self, broker: int, frame: Frame) -> bool:
        assert frame.batch is not None
        known = self.admin.producers(broker, frame.batch.partition)
        return frame.batch.pid not in map(self.names.of, known)

    def expire(self, broker: int, partition: int) -> None:
        """Set a limit of one millisecond, until no producer is known any more (D9)."""
        self.admin.set_broker(broker, "producer.id.expiration.ms", "1")
        self.admin.until("the producers expire", lambda: not self.admin.producers(broker, partition))
        self._take_back([broker], "node", lambda: self.admin.set_broker(broker, "producer.id.expiration.ms", None))

    def delete_records(self, partition: int) -> None:
        """Retention by time: every record is older than a millisecond (D10); out-of-sync replicas delete nothing.

        Nothing above the high watermark is deleted, so the leader has to know what its follower has.
        """
        end = self.logs[self.leader][partition].end
        self._release(end)
        with self._left_out():
            self._delete_all(partition, end)

    @contextmanager
    def _left_out(self) -> Iterator[None]:
        """While out-of-sync replicas do nothing by themselves."""
        follower = next((self.servers.brokers[broker] for broker in self.away), None)
        if follower is None or follower.paused:
            yield
            return
        follower.pause()
        try:
            yield
        finally:
            follower.resume()

    def _delete_all(self, partition: int, end: int) -> None:
        awake = [node.number for node in self.servers.brokers if node.running and not node.paused]
        self.admin.set_topic("retention.ms", "1")
        self.admin.until("retention deletes every record", lambda: self.admin.earliest(partition) == end)
        replicas = [logs[partition] for broker, logs in enumerate(self.logs) if broker in awake]
        self.admin.until("the segments are gone", lambda: not any(log.batches() for log in replicas))
        self._take_back(awake, "topic", lambda: self.admin.set_topic("retention.ms", "-1"))

    def _take_back(self, brokers: list[int], of: str, change: Callable[[], None]) -> None:
        """Change a config back, and wait until each broker has logged that; its current round may still end."""

        def said() -> list[int]:
            return [self.servers.brokers[n].words().count(f"broker id={n}] Updating {of} ") for n in brokers]

        before = said()
        change()
        self.admin.until(
            "a config is taken back", lambda: all(new > old for new, old in zip(said(), before, strict=True))
        )
        time.sleep(GRACE)

    def append_foreign(self, partition: int) -> None:
        log = self.logs[self.leader][partition]
        end = log.end
        self.admin.produce_foreign(partition, str(OTHERS).encode(), lambda: log.end > end)
        self.written[partition].append((end, (OTHERS,)))
