"""The cluster of a replay: the real client, and real brokers in place of logs and of what is played around them.

It is stepped by the same table as Kafka's classes are (conformance/mapping.py). A request is written when it is to be
handled; what the cluster does by itself after that is waited for.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ..conformance.cluster import Cluster
from ..conformance.codec import NO_ERROR, Answer, Frame, Produced
from ..conformance.driver import OTHERS, Move, NotJudged, Setup
from ..conformance.real_client import COORDINATOR, CREATED_EVERY, RealClient, Settings
from .admin import Admin
from .client import BrokerClient, Names, Received, received
from .disk import Replica
from .gate import EVERYTHING, Gate
from .probe import too_far_ahead, with_wrong_checksum
from .servers import Servers
from .wire import Connection, Wire

PAST = 24 * CREATED_EVERY
"""Milliseconds: the clock of the client begins so long ago that no record of a replay is of the future."""
TOPIC_CONFIG = {"message.timestamp.after.max.ms": str(2**62), "retention.ms": "-1", "retention.bytes": "-1"}
"""Records keep the time of the client's clock, and no record is too old."""
GRACE = 0.3
"""Seconds for what a broker had begun to do under a config that is not in force any more: three rounds of retention."""


class Brokers(Cluster):
    """The state of it; `alive` raises when there is no sense in going on."""

    def __init__(self, setup: Setup, servers: Servers, gate: Gate, alive: Callable[[], None]) -> None:
        self.servers, self.gate, self.alive = servers, gate, alive
        self.admin = Admin(servers.bootstrap(), alive)
        self.names = Names()
        self.afterlife: list[Connection] = []
        self.sent: list[Frame] = []
        self.known = EVERYTHING
        try:
            config = {**TOPIC_CONFIG, "min.insync.replicas": str(setup.min_insync)}
            self.topic = self.admin.create(setup.partitions, list(range(setup.replicas)), config)
            gate.topic = str(self.topic.toString())
            self.wire = Wire(self._port)
            super().__init__(setup)
            self.known = self.logs[0][0].end
            self._allow(self.known, self.known)
        except BaseException:
            self.admin.close()
            raise

    def beginning(self) -> int:
        return int(time.time() * 1000) - PAST

    def port_of_leader(self) -> int:
        """Where the leader listens to clients."""
        return self._port(self.leader)

    def _port(self, node: int) -> int:
        return self.servers.brokers[self.leader if node == COORDINATOR else node].ports.client

    def _log(self, node: int, partition: int) -> Any:
        return Named(Replica(self.servers.brokers[node].data, partition), self.names)

    def _client(self, settings: Settings, pid: int) -> RealClient:
        self.wire.close()
        return BrokerClient(settings, self.clock, self.wire, self.names, self.topic, self.admin.until)

    def close(self) -> None:
        """Let go of connections and threads; the servers are somebody else's."""
        self.wire.close()
        self.admin.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- requests ------------------------------------------------------------------------------------------

    def handle(self, broker: int) -> None:
        self._release_all(broker)  # B7: a broker reads a request when the one before it is answered
        self.answers[broker].append(self._execute(self.wire.to(broker), broker, self.next_frame(broker)))

    def produce(self, frame: Frame) -> Answer:
        """A request of a connection that the client has lost."""
        return self._execute(self.afterlife.pop(0), self.leader, frame)

    def _execute(self, connection: Connection, broker: int, frame: Frame) -> Answer:
        """Let a broker read a request: until it answers, or has appended the batch and waits for the followers."""
        assert frame.batch is not None
        log = self.logs[broker][frame.batch.partition]
        end = log.end
        self._release_copies(log, frame.batch)
        if any(each is frame for each in self.sent):
            raise AssertionError("the driver writes a request twice; what that leaves is not the producer's")
        self.sent.append(frame)
        connection.send(frame.data)

        def done() -> bool:
            connection.poll()
            return connection.arrived == connection.sent or log.end > end

        self.admin.until(f"broker {broker} handles a request", done)
        if log.end > end:
            self.written[frame.batch.partition].append((end, frame.batch.ids))
        if connection.arrived == connection.sent and connection.answers:
            return received(frame, connection.answers[-1])
        return Answer(NO_ERROR, end)

    def settle(self) -> None:
        """Answers that have arrived take the place of those that were waited for."""
        for broker, answers in self.answers.items():
            if answers and broker in self.wire.open:
                arrived = self.wire.open[broker].poll()
                for place, data in enumerate(arrived[: len(answers)]):
                    answers[place] = received(self.client.frames[broker][place], data)

    def read(self, broker: int) -> None:
        connection = self.wire.to(broker)
        self._release_all(broker)
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

    # -- connections ---------------------------------------------------------------------------------------

    def lose(self, broker: int, survivors: int = 0) -> None:
        connection = self.wire.lose(broker)
        if connection is not None and survivors:
            self.afterlife += [connection] * survivors
        elif connection is not None:
            connection.close()
        super().lose(broker, survivors)

    def _close(self, node: int) -> None:
        connection = self.wire.lose(node)
        if connection is not None:
            connection.close()

    # -- brokers -------------------------------------------------------------------------------------------

    def restart(self, broker: int, clean: bool) -> None:
        node = self.servers.brokers[broker]
        if clean:
            node.stop()
        else:
            node.kill()
        self._come_back(broker)
        self.lose(broker)

    def _come_back(self, broker: int) -> None:
        """Start a broker, until it takes part again."""
        self.servers.brokers[broker].start()
        self.servers.brokers[broker].ready()
        self._close(COORDINATOR)
        everybody = set(range(self.setup.replicas))
        self._release(self.gate.data)  # to be in sync is to be known to have everything
        for partition in range(self.setup.partitions):
            self.admin.until_leads(self.leader, partition)
            self.admin.until("all replicas are in sync", partial(self._are_in_sync, everybody, partition))

    def _are_in_sync(self, brokers: set[int], partition: int) -> bool:
        return self.admin.in_sync(partition) == brokers

    def answer(self, broker: int, code: str) -> None:
        """An answer that no log gives: the broker is brought to give it."""
        minimum = str(self.setup.min_insync)
        if code == "NOT_ENOUGH_REPLICAS":
            self._without_follower(lambda: self._under("min.insync.replicas", "2", minimum, broker, code))
        else:  # a compacted topic takes no record without a key
            self._under("cleanup.policy", "compact", None, broker, code)

    def _without_follower(self, action: Callable[[], None]) -> None:
        """Do something while the follower is down; it leaves the in-sync set when it shuts down, and joins it again.

        What min.insync.replicas asks for is never more than there are replicas.
        """
        follower = 1 - self.leader
        if self.setup.replicas < 2 or self.client.frames[follower]:
            raise NotJudged("there is no follower that could be stopped without a loss of requests")
        self.servers.brokers[follower].stop()
        action()
        self._come_back(follower)

    def find_too_large(self, broker: int) -> None:
        self._under("max.message.bytes", "10", None, broker, "MESSAGE_TOO_LARGE")

    def _under(self, config: str, value: str, before: str | None, broker: int, code: str) -> None:
        """Let a broker handle its next request under another config of the topic.

        A request that is refused in any case, and in another way where the config is in force, tells when it is.
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
        """A limit of one millisecond, until nobody is known any more (D9)."""
        self.admin.set_broker(broker, "producer.id.expiration.ms", "1")
        self.admin.until("the producers expire", lambda: not self.admin.producers(broker, partition))
        self._take_back([broker], "node", lambda: self.admin.set_broker(broker, "producer.id.expiration.ms", None))

    def delete_records(self, partition: int) -> None:
        """Retention by time: every record is older than a millisecond (D10)."""
        end = self.logs[self.leader][partition].end
        self.admin.set_topic("retention.ms", "1")
        self.admin.until("retention deletes every record", lambda: self.admin.earliest(partition) == end)
        replicas = [logs[partition] for logs in self.logs]
        self.admin.until("the segments are gone", lambda: not any(log.batches() for log in replicas))
        everybody = [node.number for node in self.servers.brokers if node.running]
        self._take_back(everybody, "topic", lambda: self.admin.set_topic("retention.ms", "-1"))

    def _take_back(self, brokers: list[int], of: str, change: Callable[[], None]) -> None:
        """Change a config back, until each broker has written that it did; then its round that runs may still end."""

        def said() -> list[int]:
            return [self.servers.brokers[n].words().count(f"broker id={n}] Updating {of} ") for n in brokers]

        before = said()
        change()
        self.admin.until(
            "a config is taken back", lambda: all(new > old for new, old in zip(said(), before, strict=True))
        )
        time.sleep(GRACE)

    def append_foreign(self, partition: int) -> None:
        end = self.logs[self.leader][partition].end
        self.admin.produce_foreign(partition, str(OTHERS).encode())
        self.written[partition].append((end, (OTHERS,)))

    # -- followers and elections ---------------------------------------------------------------------------

    def _allow(self, data: int, known: int) -> None:
        """How far the follower may be, and be known to be; several partitions are not held back."""
        if self.setup.replicas > 1 and self.setup.partitions == 1:
            self.gate.allow(data, known)

    def replicate(self, ends: tuple[int, ...] | list[int]) -> None:
        """The follower has fetched as much as the model has settled; the leader need not know of the last batch."""
        if self.setup.replicas < 2:
            return
        for partition, end in enumerate(ends):
            if end:
                self.known = max(self.known, self.offset(partition, end - 1))
            self._allow(self.offset(partition, end), self.known)
            self._until_fetched(self.logs[1 - self.leader][partition], self.offset(partition, end))

    def _until_fetched(self, follower: Named, end: int) -> None:
        self.admin.until(f"the follower fetches up to offset {end}", lambda: follower.end >= end)

    def _release(self, offset: int) -> None:
        """The leader learns that its follower has what lies before an offset: the high watermark moves (B6.1)."""
        self.known = max(self.known, offset)
        self._allow(max(self.known, self.gate.data), self.known)

    def _release_all(self, broker: int) -> None:
        """Let every request of a connection that waits for its follower be answered."""
        for frame, answer in self._waiting(broker):
            assert frame.batch is not None
            self._release(answer.offset + len(frame.batch.ids))
        self.admin.until("the high watermark moves", lambda: not self._waiting(broker))

    def _release_copies(self, log: Named, batch: Produced) -> None:
        """A batch that is in the log already is recognised, but not answered before it is replicated (B6.1)."""
        stamp = (batch.pid, batch.epoch, batch.sequence)
        for offset, found in log.batches():
            if (found.pid, found.epoch, found.sequence) == stamp:
                self._release(offset + len(found.ids))

    def elect(self, broker: int, move: Move) -> None:
        """The follower has what the new leader is to have; then the preferred replica is elected (B6.5)."""
        self._prepare(broker, move)
        for partition in range(self.setup.partitions):
            self.admin.elect(broker, [self.leader], partition)
        self.admin.until("waiting answers become errors", lambda: not self._waiting(self.leader))
        self._elected(broker, move)

    def crash_leader(self, broker: int, move: Move) -> None:
        """SIGKILL; the controller elects the follower when it misses the leader, which then comes back."""
        self._prepare(broker, move)
        old = self.leader
        self.servers.brokers[old].kill()
        for partition in range(self.setup.partitions):
            self.admin.until_leads(broker, partition)
        self._elected(broker, move)
        self._come_back(old)
        self.lose(old)

    def _prepare(self, broker: int, move: Move) -> None:
        """Answers that are not to become errors arrive before the election, the others do not."""
        self.replicate(move.ends)
        old = self.leader
        for frame, answer in self._waiting(old):
            assert frame.batch is not None
            end = answer.offset + len(frame.batch.ids)
            if frame.batch.ids[0] not in move.refused:
                self._release(end)
            elif self.known >= end:
                raise NotJudged("an answer that is to become an error cannot be held back: a later one was let go")
        self.admin.until("answers arrive", lambda: not self._to_come(old, move))

    def _to_come(self, broker: int, move: Move) -> list[Frame]:
        """Requests that are not answered and that no election is to refuse."""
        waiting = [frame for frame, _ in self._waiting(broker) if frame.batch]
        return [frame for frame in waiting if frame.batch and frame.batch.ids[0] not in move.refused]

    def _waiting(self, broker: int) -> list[tuple[Frame, Answer]]:
        """The requests of a connection that a broker has handled and not answered."""
        self.settle()
        pairs = zip(self.client.frames[broker], self.answers[broker], strict=False)
        return [(frame, answer) for frame, answer in pairs if not isinstance(answer, Received)]

    def _elected(self, broker: int, move: Move) -> None:
        """The bookkeeping of an election."""
        for partition, end in enumerate(move.ends):
            del self.written[partition][end:]
        self.leader, self.leader_epoch = broker, self.leader_epoch + 1
        self.surviving.clear()
        self.known = max(self.offset(partition, end) for partition, end in enumerate(move.ends))
        self._allow(self.known, self.known)


class Named:
    """A replica with the model's names of producers."""

    def __init__(self, replica: Replica, names: Names) -> None:
        self.replica, self.names = replica, names

    @property
    def end(self) -> int:
        """The log end offset."""
        return self.replica.end

    def batches(self) -> list[tuple[int, Any]]:
        """The batches with their first offsets."""
        return [(offset, self.names.batch(batch)) for offset, batch in self.replica.batches()]
