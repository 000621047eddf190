"""The faults: every one an action that spends from the budget of the behaviour. Recovery has no budget.

What is delayed lies on a closed connection: it may be executed at any later time, or never, unheard.
"""

from __future__ import annotations

from everystate.checker import action, narrate, require

from .producer import Producer
from .records import (
    ABORT,
    ABORTABLE,
    ABORTING,
    BUMPING,
    COMMITTING,
    COMPLETE_ABORT,
    COMPLETE_COMMIT,
    EMPTY,
    FATAL,
    INVALID_RECORD,
    NEW,
    NONE,
    NOWHERE,
    ONGOING,
    OPEN,
    PREPARE_COMMIT,
    RENEWING,
    RETRIABLE,
    SENT,
    STARTING,
    WAITING,
)


def when(kind: str, values: str) -> object:
    """What a kind of fault may hit: nothing when the scenario does not have it."""
    return lambda spec: range(getattr(spec, values) if getattr(spec, kind) else 0)


class Faults(Producer):
    """What can go wrong."""

    @action(session=when("aborts", "sessions"))
    def abort(self, session: int) -> None:
        """The application aborts a transaction in which nothing went wrong."""
        me = self.producer[session]
        require(me.status == OPEN)
        require(SENT not in me.parts or self.hasty)
        require(self.has_started_one(session))  # T9.9
        self.spend("aborts")
        me.status = ABORTING
        self.asked[me.transaction] = ABORT

    @action(session=when("deadlines", "sessions"), partition="partitions")
    def deadline(self, session: int, partition: int) -> None:
        """The delivery timeout of a record passes; its request is on the way and stays there (T9.2)."""
        me = self.producer[session]
        require(me.status != FATAL)
        require(me.parts[partition] == SENT)
        require(self.request[partition][session].stage != NOWHERE)
        self.spend("deadlines")
        self.delay(session, partition)
        narrate(f"the delivery timeout of t{me.transaction} for partition {partition} passes", at=self.who(session))
        self.give_up(session, partition, expired=True)

    @action(session=when("disconnects", "sessions"), partition="partitions")
    def disconnect(self, session: int, partition: int) -> None:
        """The connection is lost with the request on it; the record is sent again on another one."""
        require(self.producer[session].status != FATAL)
        require(self.producer[session].parts[partition] == SENT)
        require(self.request[partition][session].stage != NOWHERE)
        self.spend("disconnects")
        self.delay(session, partition)

    def delay(self, session: int, partition: int) -> None:
        """A produce request is left to itself, at whatever stage it is."""
        request, late = self.request[partition][session], self.request[partition][self.late]
        require(late.stage == NOWHERE)
        self.request[partition][self.late] = request
        self.empty(partition, session)

    @action(session=when("late_starts", "sessions"))
    def delay_start(self, session: int) -> None:
        """InitProducerId is on the way, its connection is lost, and it is sent again (T9.5)."""
        me, late = self.producer[session], self.late_start
        starting = me.status == STARTING
        require(starting or me.status == BUMPING or me.status == RENEWING)
        require(late.waits != 1)
        self.spend("late_starts")
        late.waits, late.pid, late.epoch = True, -1 if starting else me.pid, 0 if starting else me.epoch

    @action(nothing=when("late_starts", "sessions"))
    def start_late(self, nothing: int) -> None:
        """The delayed InitProducerId is executed (T2.2 to T2.8)."""
        late = self.late_start
        require(late.waits == 1 and nothing == 0)
        answer = self.start_anew() if late.pid < 0 else self.renew(late.pid, late.epoch)
        narrate(f"the delayed InitProducerId is executed: {answer}", at="coordinator")
        late.waits = False
        late.pid, late.epoch = -1, 0

    @action(session=when("late_joins", "joining"), partition="partitions")
    def delay_join(self, session: int, partition: int) -> None:
        """AddPartitionsToTxn is on the way, its connection is lost, and it is sent again."""
        me, late = self.producer[session], self.late_join
        require(me.status == OPEN)
        require(me.parts[partition] == WAITING)
        require(late.waits != 1)
        self.spend("late_joins")
        late.waits, late.pid, late.epoch, late.partition = True, me.pid, me.epoch, partition

    @action(nothing=when("late_joins", "joining"))
    def join_late(self, nothing: int) -> None:
        """The delayed AddPartitionsToTxn is executed (T3.3)."""
        late = self.late_join
        require(late.waits == 1 and nothing == 0)
        for partition in self.places:
            if late.partition == partition:
                answer = self.join(late.pid, late.epoch, partition)
                narrate(f"the delayed AddPartitionsToTxn is executed: {answer}", at="coordinator")
        late.waits = False
        late.pid, late.epoch, late.partition = 0, 0, 0

    @action(session=when("lost_joins", "joining"), partition="partitions")
    def lose_join(self, session: int, partition: int) -> None:
        """T9.15: AddPartitionsToTxn is executed, its answer is lost, and send has refused another record meanwhile."""
        me = self.producer[session]
        require(me.status == OPEN)
        require(me.parts[partition] == WAITING and not self.has_left(session, partition))
        self.spend("lost_joins")
        answer = self.join(me.pid, me.epoch, partition)
        require(answer == NONE)
        me.status, me.bump = ABORTABLE, True
        narrate("send refuses another record", at=self.who(session))
        narrate(f"{answer}, which is lost", source="coordinator", target=self.who(session))

    @action(session=when("late_ends", "sessions"))
    def delay_end(self, session: int) -> None:
        """EndTxn is on the way (T9.2), its connection is lost, and it is sent again."""
        me, late = self.producer[session], self.late_end
        require(me.status == COMMITTING or me.status == ABORTING)
        require(SENT not in me.parts)
        require(late.waits != 1)
        self.spend("late_ends")
        late.waits, late.pid, late.epoch = True, me.pid, me.epoch
        late.commit = me.status == COMMITTING

    @action(nothing=when("late_ends", "sessions"))
    def end_late(self, nothing: int) -> None:
        """The delayed EndTxn is executed (T4.4)."""
        late = self.late_end
        require(late.waits == 1 and nothing == 0)
        answer = self.end(late.pid, late.epoch, bool(late.commit == 1))
        narrate(f"the delayed EndTxn is executed: {answer}", at="coordinator")
        late.waits, late.commit = False, False
        late.pid, late.epoch = 0, 0

    @action(partition=when("late_markers", "partitions"))
    def delay_marker(self, partition: int) -> None:
        """A marker is on the way, its connection is lost, and it is sent again (T6.2)."""
        self.keep_marker(partition)
        self.spend("late_markers")

    def keep_marker(self, partition: int) -> None:
        """A marker that the coordinator sends stays on the way."""
        tc, late = self.coordinator, self.late_marker[partition]
        require(self.preparing())
        require(tc.unmarked[partition])
        require(late.waits != 1)
        late.waits, late.pid, late.epoch, late.term, late.tv2 = True, tc.pid, tc.epoch, tc.term, tc.tv2
        late.commit = tc.state == PREPARE_COMMIT

    @action(partition=lambda w: w.places if w.late_markers or w.left_behind else ())
    def mark_late(self, partition: int) -> None:
        """The delayed marker is executed (T7.3 to T7.5)."""
        late = self.late_marker[partition]
        require(late.waits == 1)
        narrate("the delayed marker arrives", at=self.name(partition))
        self.mark(partition, late.pid, late.epoch, bool(late.commit == 1), late.term, bool(late.tv2 == 1))
        self.drop_marker(partition)

    def drop_marker(self, partition: int) -> None:
        """No marker is on the way any more."""
        late = self.late_marker[partition]
        late.waits, late.commit = False, False
        late.pid, late.epoch, late.term = 0, 0, 0
        late.tv2 = self.rules.epoch_per_transaction

    @action(nothing=when("timeouts", "sessions"))
    def time_out(self, nothing: int) -> None:
        """T5.2: the transaction has been ongoing for too long."""
        require(self.coordinator.state == ONGOING and nothing == 0)
        self.spend("timeouts")
        narrate("the transaction has timed out", at="coordinator")
        self.fence()

    @action(session=when("lost_answers", "bumping"))
    def lose_answer(self, session: int) -> None:
        """InitProducerId of a bump is executed, its answer is lost with the connection, and it is sent again (T9.5)."""
        me = self.producer[session]
        require(me.status == BUMPING)
        require(not self.preparing())
        self.spend("lost_answers")
        answer = self.renew(me.pid, me.epoch)
        require(answer == NONE)
        narrate(f"{answer}, which is lost", source="coordinator", target=self.who(session))

    @action(nothing=when("expiries", "sessions"))
    def expire_id(self, nothing: int) -> None:
        """T2.9: nobody has used the transactional id for long; whoever asks next for a producer id gets a fresh one."""
        tc = self.coordinator
        require(nothing == 0 and tc.epoch >= 0)
        require(tc.state in (EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT))
        self.spend("expiries")
        self.forget_id()
        narrate("the transactional id has expired", at="coordinator")

    @action(nothing=when("failovers", "sessions"))
    def fail_over(self, nothing: int) -> None:
        """T1.7 to T1.9, T1.11: another broker is the coordinator, with what the log says."""
        require(nothing == 0)
        self.spend("failovers")
        self.load()

    def load(self) -> None:
        """T1.7, T1.8, T1.11: the log is read."""
        tc = self.coordinator
        require(tc.term < self.terms)
        tc.term += 1
        tc.awaited = self.preparing()
        for p in self.places:
            tc.unmarked[p] = self.preparing() and tc.partitions[p]
        if not self.rules.log_has_last_epoch:
            tc.last_epoch = -1
        if not self.rules.log_has_ids:
            tc.previous_pid, tc.next_pid = tc.pid, -1
        narrate(f"loads its log: {tc.state}", at="new coordinator")

    @action(partition=lambda w: w.places if w.left_behind else ())
    def fail_over_behind(self, partition: int) -> None:
        """T1.9: the same, and a marker of the coordinator before is on the way."""
        self.keep_marker(partition)
        self.fail_over(0)

    @action(partition=when("elections", "partitions"))
    def elect(self, partition: int) -> None:
        """T7.19: another broker leads the partition, or the same one after a restart.

        What was not replicated was not acknowledged either, and counts as never written.
        """
        self.spend("elections")
        narrate("leads, with the log that was replicated", at=f"new {self.name(partition)}")
        self.lose_requests(partition)

    def lose_requests(self, partition: int) -> None:
        """The leader stops: requests to it are lost, and what it knew beside its log."""
        for slot in self.slots:
            self.empty(partition, slot)
        self.drop_marker(partition)
        if self.rules.verifies:
            for pid in range(self.pids):
                self.known[partition][pid].guard = -1

    @action(session=when("elections", "sessions"), partition="partitions")
    def elect_after_record(self, session: int, partition: int) -> None:
        """T7.19: a record is written and replicated, and its answer is lost with the leader."""
        require(self.may_append(partition, session))
        answer = self.append(partition, session)
        require(answer == NONE)
        self.elect(partition)

    @action(partition=when("elections", "partitions"))
    def elect_after_marker(self, partition: int) -> None:
        """T7.19, T6.2: a marker is written, and its answer is lost with the leader; the marker is sent again."""
        tc = self.coordinator
        require(self.preparing() and tc.unmarked[partition])
        answer = self.mark_of_coordinator(partition)
        require(answer == NONE)
        self.elect(partition)

    @action(session=when("refusals", "sessions"), partition="partitions")
    def refuse(self, session: int, partition: int) -> None:
        """B1.3: the leader has too few replicas in sync, say; the record is sent again (T9.5)."""
        self.refused_with(session, partition, RETRIABLE, "refusals")

    @action(session=when("invalid_records", "sessions"), partition="partitions")
    def reject(self, session: int, partition: int) -> None:
        """B1.1, B1.4, B1.5: the leader refuses a record for good, by the rights of its sender, its size or its form."""
        self.refused_with(session, partition, INVALID_RECORD, "invalid_records")

    def refused_with(self, session: int, partition: int, answer: str, kind: str) -> None:
        """A record that could be appended is not."""
        require(self.may_append(partition, session))
        self.spend(kind)
        self.answer(partition, session, answer)

    @action(session=lambda w: range(1, w.sessions if w.takeovers else 1))
    def take_over(self, session: int) -> None:
        """A further producer with the same transactional id starts; the one before goes on."""
        require(self.producer[session].status == NEW)
        before = self.producer[session - 1].status
        require(before not in (NEW, STARTING))
        self.spend("takeovers")
        self.producer[session].status = STARTING
