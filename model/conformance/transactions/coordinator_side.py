"""Kafka's coordinator of transactions as a driver, and the leaders where their logs can be driven.

The producers are the model's: their requests are in the move. Where the log layer is Scala the model simulates the
leaders: their answers to markers are in the move, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..classes import has_java_log, has_verifying_log
from ..driver import Observation
from ..still_side import StillSide
from ..watermark import BrokenRule
from .coordinator import NOBODY, Marker, RealCoordinator
from .coordinator_log import nothing
from .coordinator_moves import (
    ANSWERS,
    ASKED,
    ASKED_AGAIN,
    AT_MOST_ONE,
    BATCH,
    COMPLETING,
    COORDINATOR,
    DELAYED,
    END,
    JOIN,
    LEADERS,
    MARKER,
    NEXT_PAIR,
    NOT_WRITTEN,
    RENEW,
    START,
    TO_CLIENT,
    TO_INIT,
    UNKNOWN,
    VERIFY,
    WHILE_WRITING,
    WRITTEN,
    CoordinatorMove,
    Question,
    Setup,
    exceptions,
)
from .leader import Leaders

THROWN = ("IllegalStateException", "IllegalArgumentException")
"""What a coordinator throws where its state does not allow a request."""


class BrokenLeader(BrokenRule):
    """The model's leader does what no leader may do."""


class CoordinatorSide(StillSide):
    """Coordinator and leaders in one state.

    `late` are the markers that were delayed, and whether the coordinator gets their answers. `behind` is the number of
    batches on a replica of its log that fetches nothing more.
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.setup = setup
        self.kafka = RealCoordinator(setup.tv, setup.cluster, setup.seed)
        driven = has_java_log() or has_verifying_log()
        self.leaders = Leaders(setup.partitions, setup.tv, setup.verifies) if driven else None
        self.seen = (COORDINATOR,) if self.leaders is None else (COORDINATOR, LEADERS)
        self.late: dict[int, tuple[Marker, bool]] = {}
        self.behind = 0
        self.said: Observation = {WRITTEN: 0, AT_MOST_ONE: True}

    def close(self) -> None:
        """Release the files."""
        if self.leaders is not None:
            self.leaders.close()

    # -- steps ---------------------------------------------------------------------------------------------

    def step(self, move: CoordinatorMove) -> None:
        """Execute a move."""
        self.kafka.next_pid = move.next_pid
        before = len(self.kafka.log.batches)
        self.said = {}
        if move.fails_first:
            self.said[NOT_WRITTEN] = self.refused(move)
        if move.meanwhile:
            self.kafka.log.meanwhile = lambda: self.interrupt(move.meanwhile)
        if move.action in ACTIONS:
            ACTIONS[move.action](self, move)
        elif move.kind in REQUESTS:
            REQUESTS[move.kind](self, move)
        self.kafka.log.meanwhile = nothing
        written = len(self.kafka.log.batches) - before
        self.said |= {WRITTEN: written, AT_MOST_ONE: written <= 1}

    def refused(self, move: CoordinatorMove) -> tuple[Any, ...]:
        """T1.6: the same, but the log refuses it: the answer, and the state of the coordinator after it."""
        self.kafka.log.fails = True
        if move.kind:
            answer = self.answered(Question(move.kind, move.pair, move.partition, move.commit))
        else:
            answer = str(attempt(self.kafka.time_out) or "")
        self.kafka.log.fails = False
        found = self.kafka.metadata()
        return answer, found.state, found.pending, found.pid, found.epoch

    def interrupt(self, questions: tuple[Question, ...]) -> None:
        """T1.4: requests that come while a record is being written; a round of timeouts finds nothing to do."""
        self.said[WHILE_WRITING] = exceptions([(each, self.answered(each)) for each in questions])
        attempt(self.kafka.time_out)

    def answered(self, question: Question) -> str:
        """The error that a request is answered."""
        kind, pair = question.kind, question.pair
        if kind in (START, RENEW):
            found = attempt(lambda: self.kafka.initialize(pair))
            return found if isinstance(found, str) else str(found[0])
        assert pair is not None
        if kind != END:
            return self.asked(kind, *pair, question.partition)
        found = attempt(lambda: self.kafka.end(*pair, question.commit))
        return found if isinstance(found, str) else str(found[0])

    def initialize(self, move: CoordinatorMove) -> None:
        """InitProducerId."""
        found = attempt(lambda: self.kafka.initialize(move.pair))
        self.said[TO_INIT] = (UNKNOWN, -1, -1) if found == UNKNOWN else found

    def ask(self, move: CoordinatorMove) -> None:
        """AddPartitionsToTxn, or one that verifies."""
        assert move.pair is not None
        if move.action == "hear" and self.leaders is not None:
            self.hear(self.leaders, move.partition, move.arguments["slot"])
        else:
            self.said[ANSWERS[move.kind]] = self.asked(move.kind, *move.pair, move.partition)

    def hear(self, leaders: Leaders, partition: int, slot: int) -> None:
        """The coordinator gets the request of a leader, and the leader its answer (T7.12, T7.13)."""
        question = leaders.question(partition, slot)
        self.said[ASKED] = question.kind, question.pid, question.epoch, question.partition
        answer = self.asked(*self.said[ASKED])
        self.said[ANSWERS[question.kind]] = answer
        self.said[TO_CLIENT] = leaders.hear(partition, slot, answer)

    def asked(self, kind: str, pid: int, epoch: int, partition: int) -> str:
        """The answer to AddPartitionsToTxn, or to one that verifies."""
        ask = self.kafka.add_partition if kind == JOIN else self.kafka.verify_partition
        return str(attempt(lambda: ask(pid, epoch, partition)))

    def end(self, move: CoordinatorMove) -> None:
        """EndTxn."""
        assert move.pair is not None
        pair = move.pair
        found = attempt(lambda: self.kafka.end(*pair, move.commit))
        error = found if isinstance(found, str) else found[0]
        self.said[ANSWERS[END]] = error
        if error == "NONE" and self.setup.tv == 2:
            self.said[NEXT_PAIR] = found[1:]

    def time_out(self, move: CoordinatorMove) -> None:
        """A transaction is ongoing for too long."""
        attempt(self.kafka.time_out)

    def expire_id(self, move: CoordinatorMove) -> None:
        """The transactional id has not been used for long."""
        self.kafka.expire_id()

    def fail_over(self, move: CoordinatorMove) -> None:
        """The answers to the old coordinator's requests come when the new one has begun, and change nothing (T1.9)."""
        for marker in self.kafka.fail_over():
            self.kafka.hear(marker, "NONE")

    def fail_over_behind(self, move: CoordinatorMove) -> None:
        """The same, but for one marker, which is executed later (T1.9)."""
        kept = move.arguments["partition"]
        for marker in self.kafka.fail_over():
            if marker.partition == kept:
                self.late[kept] = marker, True
            else:
                self.kafka.hear(marker, "NONE")

    def fall_behind_coordinator(self, move: CoordinatorMove) -> None:
        """A replica of the coordinator's log fetches nothing more (T1.13)."""
        self.behind = len(self.kafka.log.batches)

    def elect_coordinator_uncleanly(self, move: CoordinatorMove) -> None:
        """That replica is elected, and its coordinator loads what it has (T1.13)."""
        for marker in self.kafka.fail_over(self.behind):
            self.kafka.hear(marker, "NONE")

    def complete(self, move: CoordinatorMove) -> None:
        """The record of the Complete state is written."""
        self.kafka.log.release()

    def write_marker(self, move: CoordinatorMove) -> None:
        """A marker is written, and the coordinator gets the answer; the marker was observed before this step."""
        marker = self.kafka.wanted().get(move.partition)
        if marker is not None:
            self.kafka.hear(marker, self.mark(move, marker))

    def delay_marker(self, move: CoordinatorMove) -> None:
        """A marker is on its way, and its connection is lost."""
        partition = move.arguments["partition"]
        self.late[partition] = self.kafka.lose(partition), False

    def mark_late(self, move: CoordinatorMove) -> None:
        """A delayed marker arrives; without its connection the coordinator gets no answer."""
        marker, heard = self.late.pop(move.partition)
        self.said |= {DELAYED: told(marker)} if self.leaders is not None else {}
        answer = self.mark(move, marker)
        if heard:
            self.kafka.hear(marker, answer)

    def stray_marker(self, move: CoordinatorMove) -> None:
        """A marker from any sender."""
        assert move.pair is not None
        if self.leaders is not None:
            self.said[ANSWERS[MARKER]] = self.leaders.mark(
                move.partition, move.pair, move.commit, move.term, 2 if move.tv2 else 0
            )

    def mark(self, move: CoordinatorMove, marker: Marker) -> str:
        """The leader's answer to a marker."""
        if self.leaders is None:
            return move.answer
        pair = marker.pid, marker.epoch
        found = self.leaders.mark(marker.partition, pair, marker.commit, marker.term, marker.version)
        self.said[ANSWERS[MARKER]] = found
        return found

    def append(self, move: CoordinatorMove) -> None:
        """A produce request is read, or let in."""
        if self.leaders is None:
            return
        assert move.pair is not None
        place = move.partition, move.arguments["slot"]
        if move.action == "receive":
            self.said |= self.leaders.receive(*place, move.pair, move.sequence)
        elif self.leaders.lets_in(*place):
            self.said[ANSWERS[BATCH]] = self.leaders.proceed(*place)
        else:
            raise BrokenLeader("a batch is appended that the coordinator has refused")

    def elect(self, move: CoordinatorMove) -> None:
        """Another leader begins; a delayed marker is lost with the connection to the old one (T7.19)."""
        partition = move.arguments["partition"]
        self.late.pop(partition, None)
        if self.leaders is not None:
            self.leaders.elect(partition)

    def fall_behind(self, move: CoordinatorMove) -> None:
        """A replica fetches nothing more (T7.20)."""
        if self.leaders is not None:
            self.leaders.fall_behind(move.arguments["partition"])

    def elect_uncleanly(self, move: CoordinatorMove) -> None:
        """That replica leads (T7.20)."""
        partition = move.arguments["partition"]
        self.late.pop(partition, None)
        if self.leaders is not None:
            self.leaders.elect_uncleanly(partition)

    def restart_empty(self, move: CoordinatorMove) -> None:
        """The broker restarts with an empty log (D11)."""
        partition = move.arguments["partition"]
        self.late.pop(partition, None)
        if self.leaders is not None:
            self.leaders.restart_empty(partition)

    def elect_after_record(self, move: CoordinatorMove) -> None:
        """The same, behind a record whose answer is lost."""
        if self.leaders is not None:
            assert move.pair is not None
            place = move.partition, move.arguments["session"]
            if place in self.leaders.waiting:
                self.said[ANSWERS[BATCH]] = self.leaders.proceed(*place)
            else:
                self.said[ANSWERS[BATCH]] = self.leaders.receive(*place, move.pair, move.sequence)[ANSWERS[BATCH]]
        self.elect(move)

    def elect_after_marker(self, move: CoordinatorMove) -> None:
        """The same, behind a marker whose answer is lost."""
        self.mark(move, self.kafka.lose(move.partition))
        self.elect(move)

    def refuse(self, move: CoordinatorMove) -> None:
        """A leader does not append a record that could be."""
        if self.leaders is not None:
            self.leaders.forget(move.arguments["partition"], move.arguments["session"])

    def delay(self, move: CoordinatorMove) -> None:
        """A produce request is left to itself."""
        if self.leaders is not None:
            partition, session = move.arguments["partition"], move.arguments["session"]
            self.leaders.delay(partition, session, self.setup.late)

    # -- observations --------------------------------------------------------------------------------------

    def observe(self) -> Observation:
        """Every observable."""
        found = dict(self._coordinator())
        if self.leaders is not None:
            found |= dict(self.leaders.observe(self.setup.pids))
            found[ASKED_AGAIN] = tuple(self._asked_again(self.leaders))
        return {**found, **self.said}

    def _asked_again(self, leaders: Leaders) -> Iterator[tuple[int, int]]:
        """T7.13: requests without an answer as long as the coordinator is busy, which changes nothing; only in TV2."""
        busy = self.setup.tv == 2 and self.kafka.metadata().pending
        for partition, slot in leaders.asking() if busy else ():
            question = leaders.question(partition, slot)
            answer = self.asked(question.kind, question.pid, question.epoch, partition)
            if leaders.asks_again(partition, slot, answer):
                yield partition, slot

    def _coordinator(self) -> Iterator[tuple[str, Any]]:
        found = self.kafka.metadata()
        yield "the transactional id is known", found != NOBODY
        if found != NOBODY:
            yield "state", found.state
            yield "pending state", found.pending
            yield "producer id and epoch", (found.pid, found.epoch)
            yield "last epoch", found.last_epoch
            yield "next producer id", found.next_pid
            yield "previous producer id", found.pid if found.previous_pid < 0 else found.previous_pid
            yield "partitions", found.partitions
            last = self.kafka.log.records()[-1]
            ids = (last.next_pid,) if self.setup.log_has_ids else ()
            yield "last record", (last.state, last.pid, last.epoch, last.partitions, *ids)
        yield "it waits for markers", self.kafka.waiting()
        yield COMPLETING, bool(self.kafka.log.held)
        sent = sorted(self.kafka.wanted().items())
        yield "markers on their way", tuple((p, *told(marker)) for p, marker in sent)


def told(marker: Marker) -> tuple[int, int, bool, int, bool]:
    """The content of a marker: producer id and epoch, whether it commits, its coordinator epoch, whether it is
    TV2's."""
    return marker.pid, marker.epoch, marker.commit, marker.term, marker.version >= 2


def attempt(request: Callable[[], Any]) -> Any:
    """The result of a request; an exception of the coordinator is UNKNOWN_SERVER_ERROR for the sender."""
    import jpype

    try:
        return request()
    except jpype.JException as error:
        cause = error
        while cause.getCause() is not None:
            cause = cause.getCause()
        if str(cause.getClass().getSimpleName()) not in THROWN:
            raise
        return UNKNOWN


REQUESTS: dict[str, Callable[[CoordinatorSide, CoordinatorMove], None]] = {
    START: CoordinatorSide.initialize,
    RENEW: CoordinatorSide.initialize,
    JOIN: CoordinatorSide.ask,
    VERIFY: CoordinatorSide.ask,
    END: CoordinatorSide.end,
    BATCH: CoordinatorSide.append,
}
"""The calls of Kafka for each kind of request, from any sender."""
ACTIONS: dict[str, Callable[[CoordinatorSide, CoordinatorMove], None]] = {
    "time_out": CoordinatorSide.time_out,
    "time_out_at_last": CoordinatorSide.time_out,
    "expire_id": CoordinatorSide.expire_id,
    "fail_over": CoordinatorSide.fail_over,
    "fail_over_behind": CoordinatorSide.fail_over_behind,
    "fall_behind_coordinator": CoordinatorSide.fall_behind_coordinator,
    "elect_coordinator_uncleanly": CoordinatorSide.elect_coordinator_uncleanly,
    "complete": CoordinatorSide.complete,
    "write_marker": CoordinatorSide.write_marker,
    "delay_marker": CoordinatorSide.delay_marker,
    "mark_late": CoordinatorSide.mark_late,
    "stray_marker": CoordinatorSide.stray_marker,
    "deadline": CoordinatorSide.delay,
    "disconnect": CoordinatorSide.delay,
    "elect": CoordinatorSide.elect,
    "fall_behind": CoordinatorSide.fall_behind,
    "elect_uncleanly": CoordinatorSide.elect_uncleanly,
    "restart_empty": CoordinatorSide.restart_empty,
    "elect_after_record": CoordinatorSide.elect_after_record,
    "elect_after_marker": CoordinatorSide.elect_after_marker,
    "refuse": CoordinatorSide.refuse,
    "reject": CoordinatorSide.refuse,
}
"""The calls of Kafka for actions without a request, and for those with markers; all others do nothing."""
