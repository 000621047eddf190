"""The producers: TransactionManager and Sender, and an application that writes one item after the other.

The application retries an item whose transaction was aborted, and goes on behind one that was committed. A further
producer reads how many items partition 0 has, with read_committed and to the end, before it begins: that stands for the
offsets that a transaction commits (T10.4).
"""

from __future__ import annotations

from everystate.checker import action, fair, narrate, require

from .generation import ADDED, OLD_ID
from .leader import Leader
from .records import (
    ABORT,
    ABORTABLE,
    ABORTED,
    ABORTING,
    ACKED,
    BUMPING,
    COMMIT,
    COMMITTED,
    COMMITTING,
    CONCURRENT,
    FATAL,
    GONE,
    INVALID_STATE,
    JOINED,
    MAPPING,
    NONE,
    NOWHERE,
    OLD_EPOCH,
    ONGOING,
    OPEN,
    OUT_OF_ORDER,
    PENDING,
    READY,
    RENEWING,
    RETRIABLE,
    SENT,
    STARTING,
    STUCK,
    UNREAD,
    WAITING,
)


class Producer(Leader):
    """What the clients do."""

    def who(self, session: int) -> str:
        """A producer in a story."""
        return f"producer {session}"

    # -- InitProducerId ------------------------------------------------------------------------------------

    @fair
    @action(session="sessions")
    def initialize(self, session: int) -> None:
        """T2.1, T2.2, T2.6: initTransactions, while no transaction is in the way (T2.4)."""
        me, tc = self.producer[session], self.coordinator
        require(me.status == STARTING)
        require(not (self.preparing() or tc.state == ONGOING))
        self.start_over(last_epoch=-1)
        self.take_pair(session, tc.pid, tc.epoch)
        me.status, me.knows_item = READY, False

    @fair
    @action(session="sessions")
    def initialize_over(self, session: int) -> None:
        """T2.5: initTransactions while a transaction is ongoing: that is fenced and aborted, the request repeated."""
        require(self.producer[session].status == STARTING)
        require(self.coordinator.state == ONGOING)
        self.fence()

    @fair
    @action(session="bumping")
    def bump(self, session: int) -> None:
        """T9.3, T9.6, T2.3: InitProducerId with the pair that the producer has."""
        me, tc = self.producer[session], self.coordinator
        require(me.status == BUMPING or me.status == RENEWING)
        require(not self.preparing())
        answer = self.renew(me.pid, me.epoch)
        if answer == NONE:
            self.take_pair(session, tc.pid, tc.epoch)
            if me.status == RENEWING:
                self.leave_behind(session)
            me.status = READY
        elif answer != CONCURRENT:
            self.die(session)

    def take_pair(self, session: int, pid: int, epoch: int) -> None:
        """T9.8: a new pair, and sequences from 0."""
        me = self.producer[session]
        me.pid, me.epoch, me.bump = pid, epoch, False
        for p in self.places:
            me.next_sequence[p] = 0
            self.note_gap(session, p, False)
        narrate(f"producer id {pid}, epoch {epoch}", source="coordinator", target=self.who(session))

    def die(self, session: int) -> None:
        """T9.6: a fatal error; what it has on the wire stays there."""
        me = self.producer[session]
        me.status = FATAL
        narrate("a fatal error", at=self.who(session))

    def lose_id(self, session: int) -> None:
        """T9.6: the coordinator has another producer id: a fatal error, or until 3.9 one that asks for abort and bump.

        Who is aborting already goes on with the bump that was to follow, or does nothing any more.
        """
        me = self.producer[session]
        if self.rules.unknown_id_is_fatal:
            self.die(session)
        elif me.status == ABORTING:
            me.status = RENEWING if me.bump else STUCK
        else:
            me.status, me.bump = ABORTABLE, True

    # -- what is left behind -------------------------------------------------------------------------------

    def leave_behind(self, session: int) -> None:
        """T9.16: whose EndTxn was refused takes its partitions along, and goes on asking for a bump."""
        me = self.producer[session]
        if self.leaves:
            me.bump = True
            for p in self.places:
                if me.parts[p] != WAITING:
                    self.left[session][p] = JOINED

    def note_left(self, session: int, partition: int, what: str) -> None:
        """What of a partition the next transaction would find (T9.16)."""
        if self.leaves:
            self.left[session][partition] = what

    def leave_nothing(self, session: int) -> None:
        """The transaction is complete: the next one begins without partitions."""
        for p in self.places:
            self.note_left(session, p, WAITING)

    def has_left(self, session: int, partition: int, *what: str) -> bool:
        """Whether the transaction before has left a partition, as one of some words, or as whatever."""
        left = self.left[session][partition] if self.leaves else WAITING
        return left in (what or (JOINED, PENDING))

    def has_started_one(self, session: int) -> bool:
        """T9.9: transactionStarted, without which no EndTxn is sent: something was added, or was left."""
        parts = self.producer[session].parts
        return any(parts[p] != WAITING or self.has_left(session, p, JOINED) for p in self.places)

    # -- a transaction -------------------------------------------------------------------------------------

    @fair
    @action(session="sessions")
    def begin(self, session: int) -> None:
        """beginTransaction, of the item that comes next."""
        me = self.producer[session]
        require(me.status == READY)
        require(self.begun < self.transactions)
        if not me.knows_item:
            require(self.stable(0) == self.log[0].end)
            me.item = self.items_visible(0)
            me.knows_item = True
        me.transaction = self.begun
        self.item_of[self.begun] = me.item
        self.begun += 1
        me.status = OPEN
        for p in self.places:
            me.parts[p] = WAITING

    @fair
    @action(session="sessions", partition=lambda w: () if w.rules.outside == ADDED else w.places)
    def add_partition(self, session: int, partition: int) -> None:
        """T9.1: AddPartitionsToTxn, repeated while another transaction is completing (T9.5)."""
        me = self.producer[session]
        require(me.status == OPEN)
        require(me.parts[partition] == WAITING and not self.has_left(session, partition))
        answer = self.join(me.pid, me.epoch, partition)
        require(answer != CONCURRENT)
        if answer == NONE:
            me.parts[partition] = JOINED
            self.join_what_was_left(session)
        elif answer == MAPPING:
            self.note_left(session, partition, PENDING)
            self.lose_id(session)
        else:
            self.die(session)

    def join_what_was_left(self, session: int) -> None:
        """T9.16: partitions that were to join a transaction before are part of the next request."""
        me = self.producer[session]
        for p in self.places if self.leaves else ():
            if self.left[session][p] == PENDING:
                self.join(me.pid, me.epoch, p)
                self.left[session][p] = JOINED

    @fair
    @action(session="sessions", partition=lambda w: w.places if w.leaves and w.joining else ())
    def wait_in_vain(self, session: int, partition: int) -> None:
        """T9.16: a record waits for a partition about which nobody asks any more, and expires."""
        me = self.producer[session]
        require(me.status == OPEN)
        require(me.parts[partition] == WAITING and self.has_left(session, partition, PENDING))
        me.parts[partition], me.status, me.bump = GONE, ABORTABLE, True
        narrate(f"the delivery timeout of t{me.transaction} passes, which was never sent", at=self.who(session))

    @fair
    @action(session="sessions", partition="partitions")
    def send(self, session: int, partition: int) -> None:
        """The record of a partition is sent."""
        me = self.producer[session]
        require(me.status == OPEN)
        joined = me.parts[partition] == (WAITING if self.rules.outside == ADDED else JOINED)
        require(joined or (me.parts[partition] == WAITING and self.has_left(session, partition, JOINED)))
        me.parts[partition] = SENT
        self.put_on_the_wire(session, partition)

    @fair
    @action(session="sessions", partition=lambda w: w.places if w.resends else ())
    def send_again(self, session: int, partition: int) -> None:
        """A record whose request has no answer is sent again."""
        me = self.producer[session]
        require(me.status != FATAL)
        require(me.parts[partition] == SENT)
        require(self.request[partition][session].stage == NOWHERE)
        self.put_on_the_wire(session, partition)

    def put_on_the_wire(self, session: int, partition: int) -> None:
        """A produce request, under the sequence that comes next."""
        me, request = self.producer[session], self.request[partition][session]
        request.stage = UNREAD
        request.pid, request.epoch, request.transaction = me.pid, me.epoch, me.transaction
        request.sequence = me.next_sequence[partition]
        narrate(f"t{me.transaction}, epoch {me.epoch}", source=self.who(session), target=self.name(partition))

    def answer(self, partition: int, slot: int, answer: str) -> None:
        """T9.3, T9.7: what a producer makes of the answer to its request."""
        for session in range(self.sessions):
            if slot == session:
                self.hear_answer(session, partition, answer)
        self.empty(partition, slot)

    def hear_answer(self, session: int, partition: int, answer: str) -> None:
        """The answer reaches the producer."""
        me = self.producer[session]
        narrate(answer, source=self.name(partition), target=self.who(session))
        if answer == INVALID_STATE:
            self.misled = self.misled == 1 or self.known[partition][me.pid].epoch > me.epoch
        if me.status == FATAL:
            return
        if answer == NONE:
            me.parts[partition] = ACKED
            me.next_sequence[partition] += 1
            self.note_gap(session, partition, False)
        elif self.is_fatal(answer):
            self.die(session)
        elif answer != RETRIABLE and not self.waits_for_another(session, partition, answer):
            self.give_up(session, partition, expired=False)

    def is_fatal(self, answer: str) -> bool:
        """T9.6, T9.7: whether an answer to a produce request ends the producer."""
        of_an_epoch = answer == OLD_EPOCH and self.rules.old_epoch_is_fatal
        return of_an_epoch or (answer == MAPPING and self.rules.unknown_id_is_fatal)

    def waits_for_another(self, session: int, partition: int, answer: str) -> bool:
        """C5.3: out of order, and the sequence before was never acknowledged: the record is sent again."""
        return self.hasty and answer == OUT_OF_ORDER and bool(self.gap[session][partition])

    def note_gap(self, session: int, partition: int, there: bool) -> None:
        """T9.11: whether the sequence before the next one was used up by a record that was not acknowledged."""
        if self.hasty:
            self.gap[session][partition] = there

    def give_up(self, session: int, partition: int, expired: bool) -> None:
        """T9.3: the record has failed or expired: the transaction can only be aborted, the epoch must be bumped.

        The epoch stays if the transaction was being ended already; the sequence of a record that expired is used up
        then, that of one that was refused is given to the next record (T9.11). Until 3.5 the loss of the connection
        counts as a refusal of what has expired, and a commit has come to its end by then (C6).
        """
        me = self.producer[session]
        me.parts[partition] = GONE
        if self.hasty and (me.status == COMMITTING or me.status == ABORTING):
            if expired and self.rules.fails_again:
                me.bump = me.status == COMMITTING
            elif expired:
                me.next_sequence[partition] += 1
                self.note_gap(session, partition, True)
        else:
            me.bump = not self.rules.epoch_per_transaction
        if me.status != ABORTING:
            me.status = ABORTABLE

    # -- its end -------------------------------------------------------------------------------------------

    @fair
    @action(session="sessions")
    def commit(self, session: int) -> None:
        """commitTransaction, of an application that waits for every acknowledgement, or of a hasty one."""
        me = self.producer[session]
        require(me.status == OPEN)
        require(all(part == ACKED or (self.hasty and part == SENT) for part in me.parts))
        me.status = COMMITTING
        self.asked[me.transaction] = COMMIT

    @fair
    @action(session="sessions")
    def abort_failed(self, session: int) -> None:
        """T9.2, T9.3: abortTransaction, when no record is incomplete; who added nothing bumps its epoch at once (T9.9).

        Where all is acknowledged the commit was asked for, and is not known to have failed (T9.6).
        """
        me = self.producer[session]
        require(me.status == ABORTABLE)
        require(SENT not in me.parts)
        self.asked[me.transaction] = COMMIT if all(part == ACKED for part in me.parts) else ABORT
        if self.has_started_one(session):
            me.status = ABORTING
        else:
            me.status = BUMPING
            self.leave_nothing(session)

    @fair
    @action(session="sessions")
    def end_transaction(self, session: int) -> None:
        """EndTxn, when no record is incomplete (T9.2), repeated while the coordinator is busy (T9.5)."""
        me = self.producer[session]
        require(me.status == COMMITTING or me.status == ABORTING)
        require(SENT not in me.parts)
        commit = bool(me.status == COMMITTING)
        answer = self.end(me.pid, me.epoch, commit)
        require(answer != CONCURRENT)
        narrate(answer, source="coordinator", target=self.who(session))
        if answer == MAPPING:
            self.lose_id(session)
            return
        if answer != NONE:
            self.die(session)
            return
        self.told[me.transaction] = COMMITTED if commit else ABORTED
        if commit:
            me.item += 1
        self.go_on(session)

    def go_on(self, session: int) -> None:
        """T4.6, T4.7, T9.4: with the pair of the answer (TV2), or after a bump where one is needed."""
        me, tc = self.producer[session], self.coordinator
        self.leave_nothing(session)
        if self.rules.epoch_per_transaction:
            if tc.next_pid >= 0 and self.rules.overflow_answer != OLD_ID:
                self.take_pair(session, tc.next_pid, 0)
            else:
                self.take_pair(session, tc.pid, tc.epoch)
            me.status = READY
        else:
            me.status = BUMPING if me.bump else READY
