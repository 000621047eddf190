"""Several records of one transaction in a partition, in flight together: which of them the leader takes first.

The leader does not know the producer id yet. The coordinator has the partition in the transaction, and says so at
once. An answer is heard when it is given. Rules: T7.8, T7.9, T7.16, T7.17, B2, B4.1, B4.4, C2.5, C5.3, C5.4.
"""

from __future__ import annotations

from everystate.checker import (
    Array,
    Constant,
    Enum,
    Int,
    Seq,
    Spec,
    action,
    assumption,
    eventually,
    fair,
    initial,
    invariant,
    narrate,
    reachable,
    require,
)

from .generation import GENERATIONS, Generation

NEW, SENT, AGAIN, ACKED, FAILED = "new", "sent", "to be sent again", "acked", "failed"
OPEN, COMMITTED, ABORTED = "open", "committed", "aborted"
OUT_OF_ORDER, RETRIABLE = "OUT_OF_ORDER_SEQUENCE_NUMBER", "NOT_ENOUGH_REPLICAS"


class Several(Spec):
    """A transaction with several records in one partition (KAFKA-14920)."""

    generation = Constant("4.3", "the protocol version of brokers and clients")
    records = Constant(3, "records of the transaction, all in one partition; at most five are in flight")
    refusals = Constant(0, "records that the leader refuses for a while, after it has asked the coordinator")
    unaware = Constant(0, "records that a broker refuses which does not know yet that it leads the partition")
    lost_answers = Constant(0, "records whose answer is lost with the connection")

    may_terminate = True

    @assumption
    def generation_is_known(self) -> bool:
        """the generation is one of the table in docs/reference/rules-transactions.md"""
        return self.generation in GENERATIONS

    @assumption
    def all_are_in_flight(self) -> bool:
        """not more records than requests in flight"""
        return 1 <= self.records <= 5

    def variables(self) -> None:
        self.rules: Generation = GENERATIONS[self.generation]
        self.everything = range(self.records)
        self.status = Array(self.records, Enum(NEW, SENT, AGAIN, ACKED, FAILED))
        self.wire = Seq(Int(0, self.records - 1), self.records)
        self.log = Seq(Int(0, self.records - 1), self.records)
        self.last_acked = Int(-1, self.records - 1)
        self.last_written = Int(-1, self.records - 1)
        self.lowest = Int(-1, self.records - 1)
        self.transaction = Enum(OPEN, COMMITTED, ABORTED)
        self.refusals_left = Int(0, self.refusals, init=self.refusals)
        self.unaware_left = Int(0, self.unaware, init=self.unaware)
        self.lost_left = Int(0, self.lost_answers, init=self.lost_answers)

    @initial
    def nothing_is_written(self) -> None:
        """The leader knows neither the producer id nor a batch of it."""
        self.last_acked, self.last_written, self.lowest = -1, -1, -1

    # -- the producer --------------------------------------------------------------------------------------

    @fair
    @action(record="everything")
    def send(self, record: int) -> None:
        """C2.5: in the order of sequences; a retry waits until every earlier record has its result."""
        status = self.status[record]
        require(self.transaction == OPEN and status in (NEW, AGAIN))
        for earlier in range(record):
            require(self.status[earlier] != NEW and self.status[earlier] != AGAIN)
            require(status == NEW or self.status[earlier] == ACKED)
        self.status[record] = SENT
        self.wire.append(record)
        narrate(f"record {record}", source="producer", target="leader")

    def hear(self, record: int, answer: str) -> None:
        """C5.3, C5.4: whoever is out of order is sent again, unless all before it are acknowledged."""
        narrate(f"{answer} for record {record}", source="leader", target="producer")
        if answer == OUT_OF_ORDER and self.last_acked + 1 == record:
            self.status[record], self.transaction = FAILED, ABORTED
        elif answer in (OUT_OF_ORDER, RETRIABLE):
            self.status[record] = AGAIN
        else:
            self.status[record] = ACKED
            self.last_acked = max(self.last_acked, record)

    @fair
    @action
    def commit(self) -> None:
        """The application commits when every record is acknowledged."""
        require(self.transaction == OPEN and all(each == ACKED for each in self.status))
        self.transaction = COMMITTED

    # -- the leader ----------------------------------------------------------------------------------------

    def take(self) -> int:
        """The oldest request of the connection."""
        require(len(self.wire) > 0)
        return self.wire.pop(0)

    def verify(self, record: int) -> None:
        """T7.9, T7.17: who is not known takes a guard, with the lowest sequence that was seen."""
        if self.rules.verifies and self.last_written < 0:
            self.lowest = record if self.lowest < 0 else min(self.lowest, record)

    def append(self, record: int) -> str:
        """B2, B4.1, B4.4, T7.16, T7.17: the log judges by the sequence, which is the number of the record."""
        if record in self.log:
            return "NONE"
        if self.last_written < 0:
            begins = record == 0 or not self.rules.begins_at_zero
            waits = self.rules.lowest_goes_first and self.lowest >= 0 and self.lowest < record
            if waits or not begins:
                return OUT_OF_ORDER
        elif record != self.last_written + 1:
            return OUT_OF_ORDER
        self.log.append(record)
        self.last_written, self.lowest = record, -1
        return "NONE"

    @fair
    @action
    def handle(self) -> None:
        """A produce request is verified and appended, or refused by the log."""
        record = self.take()
        self.verify(record)
        self.hear(record, self.append(record))

    # -- faults --------------------------------------------------------------------------------------------

    @action(nothing=lambda w: range(1 if w.refusals else 0))
    def refuse(self, nothing: int) -> None:
        """B1.3: too few replicas are in sync, say; the guard is taken by then."""
        require(nothing == 0 and self.refusals_left > 0)
        self.refusals_left -= 1
        record = self.take()
        self.verify(record)
        self.hear(record, RETRIABLE)

    @action(nothing=lambda w: range(1 if w.unaware else 0))
    def overlook(self, nothing: int) -> None:
        """B1.2: the broker learns a moment later that it leads the partition; it takes no guard."""
        require(nothing == 0 and self.unaware_left > 0 and len(self.log) == 0)
        self.unaware_left -= 1
        self.hear(self.take(), RETRIABLE)

    @action(nothing=lambda w: range(1 if w.lost_answers else 0))
    def lose_answer(self, nothing: int) -> None:
        """A request is executed, and its answer and all others on the connection are lost."""
        require(nothing == 0 and self.lost_left > 0)
        self.lost_left -= 1
        record = self.take()
        self.verify(record)
        self.append(record)
        for other in self.everything:
            if self.status[other] == SENT:
                self.status[other] = AGAIN
        self.wire.clear()

    # -- promises ------------------------------------------------------------------------------------------

    @invariant
    def InOrder(self) -> bool:
        """records are in the log in the order of sending"""
        return all(self.log[at] < self.log[at + 1] for at in range(self.records - 1) if at + 1 < len(self.log))

    @invariant
    def NoGap(self) -> bool:
        """no record is acknowledged while an earlier one is not in the log"""
        return all(
            self.status[record] != ACKED or earlier in self.log
            for record in self.everything
            for earlier in range(record)
        )

    @invariant
    def NoNeedlessAbort(self) -> bool:
        """a transaction of which every error can be retried is not aborted"""
        return bool(self.transaction != ABORTED)

    @eventually
    def the_transaction_ends(self) -> bool:
        """the transaction is committed or aborted before the delivery timeout of a record passes"""
        return bool(self.transaction != OPEN)

    @reachable
    def committed(self) -> bool:
        """the transaction can be committed, with all its records"""
        return bool(self.transaction == COMMITTED and len(self.log) == self.records)
