"""The replicas of a replay: the leader, the progress of the follower, the in-sync set, and the connections.

Elections, restarts and falling behind are carried out on real brokers; then the driver waits for the effects.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ..conformance.cluster import Cluster, Ends
from ..conformance.codec import Answer, Frame, Produced
from ..conformance.driver import Move, NotJudged, Setup
from ..conformance.real_client import COORDINATOR, CREATED_EVERY, RealClient, Settings
from .admin import NONE, Admin
from .client import BrokerClient, Names, Received, received
from .disk import Replica
from .gate import EVERYTHING, NOTHING, Gate
from .servers import Servers
from .wire import Connection, Wire

PAST = 24 * CREATED_EVERY
"""Milliseconds: the clock of the client begins so long ago that no record of a replay is of the future."""
TOPIC_CONFIG = {"message.timestamp.after.max.ms": str(2**62), "retention.ms": "-1", "retention.bytes": "-1"}
"""Records keep the time of the client's clock, and no record is too old."""


class Replicas(Cluster):
    """The state of the replicas; `alive` raises when continuing is useless.

    `asleep` is a follower that fell behind: its process is stopped (SIGSTOP), so it learns of nothing. One that is out
    of sync since it restarted runs, and the gate holds its fetches. The gate holds back all followers alike, so with
    three replicas all of them stay in sync.
    """

    def __init__(self, setup: Setup, servers: Servers, gate: Gate, alive: Callable[[], None]) -> None:
        self.servers, self.gate, self.alive = servers, gate, alive
        self.asleep: int | None = None
        self.admin = Admin(servers.bootstrap(), alive, self._port_of_any)
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

    def let_go(self, broker: int, number: int | None = None) -> None:
        """Real brokers have a high watermark of their own."""

    def port_of_leader(self) -> int:
        """Where the leader listens to clients."""
        return self._port(self.leader)

    def ports_awake(self) -> list[int]:
        """The client ports of the running brokers."""
        return [node.ports.client for node in self.servers.brokers if node.running and not node.paused]

    def _port_of_any(self) -> int:
        awake = self.ports_awake()
        if not awake:
            raise NotJudged("no broker runs that could be asked")
        return awake[0]

    def _port(self, node: int) -> int:
        return self.servers.brokers[self.leader if node == COORDINATOR else node].ports.client

    def _log(self, node: int, partition: int) -> Any:
        return NamedReplica(Replica(self.servers.brokers[node].data, partition), self.names)

    def _client(self, settings: Settings, pid: int) -> RealClient:
        self.wire.close()
        return BrokerClient(settings, self.clock, self.wire, self.names, self.topic, self.admin.until)

    def close(self) -> None:
        """Release connections and threads; the servers have another owner."""
        self.wire.close()
        self.admin.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- connections ---------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Record answers that have arrived."""
        for broker, answers in self.answers.items():
            if answers and broker in self.wire.open:
                arrived = self.wire.open[broker].poll()
                for place, data in enumerate(arrived[: len(answers)]):
                    found = received(self.client.frames[broker][place], data)
                    answers[place] = replace(found, place=answers[place].place)

    def lose(self, broker: int, survivors: int = 0) -> None:
        connection = self.wire.lose(broker)
        if connection is not None and survivors:
            self.afterlife += [connection] * survivors
        elif connection is not None:
            connection.close()
        super().lose(broker, survivors)

    def _nothing_outlives(self) -> None:
        """Requests left of closed connections are lost: the broker was restarted, or does not lead any more (B7)."""
        for connection in self.afterlife:
            connection.close()
        self.afterlife.clear()
        self.surviving.clear()

    def _close(self, node: int) -> None:
        connection = self.wire.lose(node)
        if connection is not None:
            connection.close()

    def _waiting(self, broker: int) -> list[tuple[Frame, Answer]]:
        """The requests of a connection that a broker has handled and not answered, but for one that is to be late."""
        self.settle()
        connection = self.wire.open.get(broker)
        count = len(self.answers[broker]) - (connection is not None and connection.unread)
        pairs = zip(self.client.frames[broker], self.answers[broker][:count], strict=False)
        return [(frame, answer) for frame, answer in pairs if not isinstance(answer, Received)]

    # -- restarts ------------------------------------------------------------------------------------------

    def restart(self, broker: int, clean: bool, move: Move) -> None:
        if broker == self.asleep:
            raise NotJudged("what is out of sync stands still, so it is not restarted")
        if broker != self.leader and broker not in self.away:
            self._leave(broker, move, lambda: self._end(broker, clean))
        else:
            self._end(broker, clean)
        self._come_back(broker)
        self.lose(broker)
        if broker == self.leader:
            self._nothing_outlives()

    def _end(self, broker: int, clean: bool) -> None:
        """Stop or kill a broker; its own folder must confirm which of the two it was."""
        node = self.servers.brokers[broker]
        if clean:
            node.stop()
        else:
            node.kill()
        if node.stopped_in_order != clean:
            condition, left = ("stop", "without") if clean else ("die", "with")
            raise NotJudged(
                f"broker {broker} was to {condition}, and has left its folder {left} the mark of a clean end"
            )

    def _come_back(self, broker: int) -> None:
        """Start a broker, until it takes part again; one outside the in-sync set stays outside."""
        self.servers.brokers[broker].start()
        self.servers.brokers[broker].ready()
        self._close(COORDINATOR)
        self._release(self.gate.data)  # a broker in sync counts as having everything
        self._until_in_sync(set(range(self.setup.replicas)) - self.away)

    def _until_in_sync(self, brokers: set[int]) -> None:
        for partition in range(self.setup.partitions):
            self.admin.until_leads(self.leader, partition)
            condition = f"brokers {sorted(brokers)} are in sync"
            self.admin.until(condition, partial(self._are_in_sync, brokers, partition))

    def _are_in_sync(self, brokers: set[int], partition: int) -> bool:
        return self.admin.in_sync(partition, self.port_of_leader()) == brokers

    # -- how far the follower is ---------------------------------------------------------------------------

    def _allow(self, data: int, known: int) -> None:
        """How much the follower may have, and the leader may know of that; several partitions are not held back."""
        if self.setup.replicas > 1 and self.setup.partitions == 1 and self.in_sync:
            self.gate.allow(data, known)

    def replicate(self, ends: Ends, starts: tuple[tuple[int, ...], ...] = ()) -> None:
        """Followers fetch as much as the model has decided; the leader need not know of the last batch.

        Of three replicas both followers have as much as the one that has most.
        """
        if self.setup.replicas < 2:
            return
        self._cut_again()
        if not self.in_sync:
            if self.move is None or self.move.action != "rejoin":
                self._require_nothing_new(ends)
            return
        for partition, places in enumerate(ends):
            end = max(places[broker] for broker in self.followers())
            if end:
                self.known = max(self.known, self.offset(partition, end - 1))
            self._allow(self.offset(partition, end), self.known)
            for broker in self.followers():
                self._until_fetched(self.logs[broker][partition], self.offset(partition, end))

    def _cut_again(self) -> None:
        """A follower that had led truncates its log itself, as soon as it is not held back any more."""
        move = self.move
        for partition in [p for p in self.beyond if move is not None and not move.uncut[p]]:
            if not self.in_sync and move is not None and move.action != "rejoin":
                raise NotJudged("a follower that is out of sync would have to cut its log while it is held back")
            del self.beyond[partition]

    def _until_fetched(self, follower: NamedReplica, end: int) -> None:
        self.admin.until(f"the follower fetches up to offset {end}", lambda: follower.end >= end)

    def _release(self, offset: int) -> None:
        """The leader learns that its follower has the records before an offset: the high watermark moves (B6.1)."""
        self.known = max(self.known, offset)
        self._allow(max(self.known, self.gate.data), self.known)

    def _release_all(self, broker: int) -> None:
        """Let every request of a connection that waits for its follower be answered."""
        for frame, answer in self._waiting(broker):
            assert frame.batch is not None
            self._release(answer.offset + len(frame.batch.ids))
        self.admin.until("the high watermark moves", lambda: not self._waiting(broker))

    def _release_copies(self, log: NamedReplica, batch: Produced) -> None:
        """A batch that is in the log already is recognised, but not answered before it is replicated (B6.1)."""
        stamp = (batch.pid, batch.epoch, batch.sequence)
        for offset, found in log.batches():
            if (found.pid, found.epoch, found.sequence) == stamp:
                self._release(offset + len(found.ids))

    # -- elections -----------------------------------------------------------------------------------------

    def elect(self, broker: int, move: Move) -> None:
        """The follower gets what the new leader must have; then the preferred replica is elected (B6.5)."""
        self._prepare(broker, move)
        for partition in range(self.setup.partitions):
            self.admin.elect(broker, [n for n in range(self.setup.replicas) if n != broker], partition)
        self.admin.until("waiting answers become errors", lambda: not self._waiting(self.leader))
        self._elected(broker, move)

    def crash_leader(self, broker: int, move: Move) -> None:
        """SIGKILL; the controller elects the follower when it misses the leader, which then comes back."""
        self._require_two()
        self._prepare(broker, move)
        old = self.leader
        self._end(old, clean=False)
        for partition in range(self.setup.partitions):
            self.admin.until_leads(broker, partition)
        self._elected(broker, move)
        self._leaves(old)
        self._come_back(old)
        self.lose(old)

    def _require_two(self) -> None:
        if self.setup.replicas > 2:
            raise NotJudged("of three replicas all have to stay in sync: the gate holds back all followers alike")

    def _prepare(self, broker: int, move: Move) -> None:
        """Answers that are to leave arrive before the election, the others do not."""
        self.replicate([[end] * self.setup.replicas for end in move.ends])
        for frame, answer in self._waiting(self.leader):
            assert frame.batch is not None
            end = answer.offset + len(frame.batch.ids)
            if self._leaves_before(frame, answer, move):
                self._release(end)
            elif self.known >= end:
                raise NotJudged("an answer that is not to leave cannot be held back: a later one was let go")
        self.admin.until("answers arrive", lambda: not self._to_come(move))
        for partition, log in enumerate(self.logs[broker]):
            if log.end > self.offset(partition, move.ends[partition]):
                raise NotJudged(f"the follower has fetched what the new leader of partition {partition} is to lack")

    def _to_come(self, move: Move) -> list[Frame]:
        """Requests that are not answered and that are to be before the election."""
        return [frame for frame, answer in self._waiting(self.leader) if self._leaves_before(frame, answer, move)]

    def _leaves_before(self, frame: Frame, answer: Answer, move: Move) -> bool:
        """Whether an answer leaves before: not an error, nor one for what the new leader lacks, which a crash loses."""
        if frame.batch is None or frame.batch.ids[0] in move.refused:
            return False
        partition = frame.batch.partition
        return answer.offset < self.offset(partition, move.ends[partition])

    def _elected(self, broker: int, move: Move) -> None:
        """The bookkeeping of an election."""
        for partition, end in enumerate(move.ends):
            self.diverge(partition, self.shared(partition, end))
            if not move.uncut:
                self.beyond.pop(partition, None)
        self.leader, self.leader_epoch = broker, self.leader_epoch + 1
        self._nothing_outlives()
        self.known = max(self.offset(partition, end) for partition, end in enumerate(move.ends))
        self._allow(self.known, self.known)

    # -- out of sync ---------------------------------------------------------------------------------------

    def shrink(self, broker: int, move: Move) -> None:
        """A follower is paused until the controller notices."""
        self._leave(broker, move, self.servers.brokers[broker].pause)
        self.asleep = broker

    def _leave(self, broker: int, move: Move, go: Callable[[], None]) -> None:
        """A follower leaves, and the controller notices; requests that wait with too few in sync would time out."""
        self._require_two()
        if move.refused:
            raise NotJudged("with too few in sync the high watermark stands, and what waits for it until it times out")
        for frame, answer in self._waiting(self.leader):
            assert frame.batch is not None
            if self.setup.min_insync > 1:
                self._release(answer.offset + len(frame.batch.ids))
        go()
        self._leaves(broker)
        self.admin.until("what waits is answered", lambda: not self._waiting(self.leader))

    def _leaves(self, broker: int) -> None:
        """The controller notices a missing follower, and the leader gets no fetch of it until it is to rejoin."""
        self._until_in_sync({self.leader})
        self.gate.allow(self.gate.data, NOTHING)
        self.away.add(broker)

    def wake_all(self) -> None:
        """No broker is held back any more."""
        for broker in sorted(self.away):
            self.rejoin(broker)

    def rejoin(self, broker: int) -> None:
        """It continues, truncates what the leader does not have, and fetches what it lacks; nothing is held back.

        Held-back fetches are dropped: they are older than retention, which may have deleted the records (D12).
        """
        self.gate.cut()
        self._wake()
        self.gate.allow(EVERYTHING, EVERYTHING)
        self._until_in_sync(set(range(self.setup.replicas)))
        self.away.discard(broker)
        self.known = max(log.end for log in self.logs[self.leader])
        self._allow(self.known, self.known)

    def elect_uncleanly(self, broker: int, move: Move) -> None:
        """The leader is paused until the controller notices; then the other one is elected as it is (D15)."""
        self._require_two()
        old = self.leader
        self.servers.brokers[old].pause()
        self._wake()
        self.asleep = old
        for partition in range(self.setup.partitions):
            self.admin.until_leads(NONE, partition)
            self.admin.elect_uncleanly(broker, partition)
        self.lose(old)
        self._elected(broker, move)
        self.away = {old}
        for partition, end in enumerate(move.ends):
            if self.logs[broker][partition].end != self.offset(partition, end):
                raise NotJudged(f"who leads partition {partition} now has cut its log, or has not, as it was held back")

    def _wake(self) -> None:
        if self.asleep is not None:
            self.servers.brokers[self.asleep].resume()
            self.asleep = None

    def _require_nothing_new(self, ends: Ends) -> None:
        """A paused broker fetches nothing, so in the model it may fetch only until it leaves the in-sync set."""
        places = [(partition, broker) for partition in range(len(ends)) for broker in self.followers()]
        if any(self.offset(p, ends[p][broker]) > self.logs[broker][p].end for p, broker in places):
            raise NotJudged("a follower that is out of sync would have to fetch a part of what it lacks")


class NamedReplica:
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
