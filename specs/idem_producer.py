"""The peer model: the smallest faithful abstraction of Kafka's idempotent producer.

One producer, one connection, one partition leader that remembers the last `window` batches of the producer.
Safe for max_in_flight <= window (Kafka: 5 in flight, 5 remembered); above it, batches are written twice.
"""

from __future__ import annotations

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Record,
    Seq,
    Spec,
    action,
    assumption,
    implies,
    invariant,
    lemma,
    narrate,
    require,
)

PENDING, IN_FLIGHT, ACKED = "pending", "in flight", "acked"


class Request(Record):
    """A batch on its way to the broker, with the epoch and sequence that were current when it was sent."""

    epoch: int
    sequence: int
    batch: int


class Answer(Record):
    """The broker's answer to one request."""

    epoch: int
    batch: int
    ok: bool


class IdempotentProducer(Spec):
    """Kafka's idempotent producer in eleven variables: safe while max_in_flight <= window."""

    batches = Constant(6, "batches to send, one record each")
    max_in_flight = Constant(5, "requests outstanding on the connection")
    window = Constant(5, "batches that the broker remembers")
    max_sends = Constant(3, "sends of one batch, the first included")
    resets = Constant(1, "connection losses")
    bumps = Constant(1, "epoch bumps")
    leader_changes = Constant(0, "leader changes")

    may_terminate = True

    @assumption
    def sizes_make_sense(self) -> bool:
        """batches, max_in_flight, window and max_sends are at least 1, the budgets at least 0"""
        sizes = (self.batches, self.max_in_flight, self.window, self.max_sends)
        return min(sizes) >= 1 and min(self.resets, self.bumps, self.leader_changes) >= 0

    def variables(self) -> None:
        epoch, batch = Int(0, self.bumps), Int(0, self.batches - 1)
        self.status = Array(self.batches, Enum(PENDING, IN_FLIGHT, ACKED))
        self.sends = Array(self.batches, Int(0, self.max_sends))
        self.epoch = epoch
        self.base = batch
        self.requests = Seq(Request.of(epoch=epoch, sequence=batch, batch=batch), self.max_in_flight)
        self.answers = Seq(Answer.of(epoch=epoch, batch=batch, ok=Bool()), self.max_in_flight)
        self.broker_epoch = epoch
        self.next_expected = Int(0, self.batches)
        self.log = Seq(batch, self.batches * (self.bumps + 1))
        self.losses = Int(0, self.resets)
        self.changes = Int(0, self.leader_changes)

    # -- the producer --------------------------------------------------------------------------------------

    @action
    def send(self) -> None:
        """Send the smallest batch that is not on its way: retries go before new batches, in order."""
        batch = self.first_pending()
        require(self.sends[batch] < self.max_sends)
        require(len(self.requests) + len(self.answers) < self.max_in_flight)
        self.requests.append(Request(epoch=self.epoch, sequence=batch - self.base, batch=batch))
        self.status[batch] = IN_FLIGHT
        self.sends[batch] += 1
        narrate(f"append b{batch} (epoch {self.epoch}, seq {batch - self.base})", source="producer", target="broker")

    @action
    def answer(self) -> None:
        """Handle the oldest answer; a refused batch that is the oldest un-acked one bumps the epoch."""
        require(self.answers)
        answer = self.answers.popleft()
        batch = answer.batch
        if answer.epoch != self.epoch:
            narrate(f"ignores the answer to b{batch}, which is of epoch {answer.epoch}", at="producer")
        elif answer.ok:
            self.status[batch] = ACKED
            narrate(f"b{batch} is acknowledged", at="producer")
        elif self.epoch < self.bumps and self.all_acked_before(batch):
            self.epoch += 1
            self.base = batch
            self.requeue()
            narrate(f"b{batch} was refused: bumps to epoch {self.epoch}, b{batch} becomes sequence 0", at="producer")
        else:
            self.status[batch] = PENDING
            narrate(f"b{batch} was refused: will be sent again", at="producer")

    def first_pending(self) -> int:
        """The smallest batch that must be sent; the step is disabled when there is none."""
        for batch in range(self.batches):
            if self.status[batch] == PENDING:
                return batch
        require(False)
        return 0

    def all_acked_before(self, batch: int) -> bool:
        return all(implies(other < batch, self.status[other] == ACKED) for other in range(self.batches))

    def requeue(self) -> None:
        for batch in range(self.batches):
            if self.status[batch] == IN_FLIGHT:
                self.status[batch] = PENDING

    # -- the broker ----------------------------------------------------------------------------------------

    @action
    def broker(self) -> None:
        """Handle the oldest request: append it, recognise a duplicate, or refuse it."""
        require(self.requests)
        request = self.requests.popleft()
        epoch, sequence, batch = request.epoch, request.sequence, request.batch
        newest = self.next_expected - 1
        if epoch > self.broker_epoch:
            ok = sequence == 0
            narrate(lambda: "" if ok else f"b{batch} begins epoch {epoch} with sequence {sequence}", at="broker")
            if ok:
                self.broker_epoch = epoch
                self.append(batch, sequence)
        elif epoch < self.broker_epoch:
            ok = False
            narrate(f"b{batch} is of epoch {epoch}, which is over", at="broker")
        elif sequence == self.next_expected:
            ok = True
            self.append(batch, sequence)
        else:
            ok = newest - self.window < sequence <= newest
            narrate(lambda: f"b{batch} has sequence {sequence}, {self.memory(ok)}", at="broker")
        self.answers.append(Answer(epoch=epoch, batch=batch, ok=ok))
        narrate(lambda: f"answer to b{batch}: {'ok' if ok else 'refused'}", source="broker", target="producer")

    def append(self, batch: int, sequence: int) -> None:
        self.log.append(batch)
        self.next_expected = sequence + 1
        narrate(f"b{batch} goes into the log at offset {len(self.log) - 1}", at="broker")

    def memory(self, duplicate: bool) -> str:
        """What a story says of the sequences that the broker remembers."""
        newest = self.next_expected - 1
        oldest = max(0, newest - self.window + 1)
        known = f"{oldest} to {newest}" if oldest < newest else f"{newest}" if oldest == newest else "none"
        return f"the broker knows {known}: {'a duplicate' if duplicate else 'out of order'}"

    # -- faults --------------------------------------------------------------------------------------------

    @action
    def reset(self) -> None:
        """The connection is lost with everything on it."""
        require(self.losses < self.resets)
        require(any([self.requests, self.answers]))
        self.losses += 1
        self.drop_connection()

    @action
    def leader_change(self) -> None:
        """Another broker takes over with the same log and the same memory."""
        require(self.changes < self.leader_changes)
        self.changes += 1
        narrate("another leader takes over", at="broker")
        self.drop_connection()

    def drop_connection(self) -> None:
        narrate("connection lost", source="producer", target="broker", lost=True)
        self.requests.clear()
        self.answers.clear()
        self.requeue()

    # -- properties ----------------------------------------------------------------------------------------

    @invariant
    def NoDup(self) -> bool:
        """no batch is in the log twice"""
        return all(self.copies(batch) <= 1 for batch in range(self.batches))

    @invariant
    def InOrder(self) -> bool:
        """the log holds the batches in the order in which they were first sent, from 0 without a hole"""
        return all(self.log[i] == i for i in range(len(self.log)))

    @invariant
    def AckedInLog(self) -> bool:
        """an acknowledged batch is in the log"""
        return all(implies(self.status[b] == ACKED, b in self.log) for b in range(self.batches))

    def copies(self, batch: int) -> int:
        return self.log.count(batch)

    # -- lemmas of the inductive proof for max_in_flight <= window -----------------------------------------

    @lemma
    def nothing_is_refused(self) -> bool:
        """every answer is a yes, so the epoch never changes"""
        first = self.epoch == 0 and self.base == 0 and self.broker_epoch == 0
        requests = all(self.requests[i].epoch == 0 for i in range(len(self.requests)))
        answers = all(self.answers[i].ok and self.answers[i].epoch == 0 for i in range(len(self.answers)))
        return first and requests and answers

    @lemma
    def the_log_is_the_memory(self) -> bool:
        """the broker expects the sequence behind its log"""
        return self.next_expected == len(self.log)

    @lemma
    def batches_go_in_order(self) -> bool:
        """acknowledged batches come first, then those in flight, then the others"""
        later = range(1, self.batches)
        acked = all(implies(self.status[b] == ACKED, self.status[b - 1] == ACKED) for b in later)
        return acked and all(implies(self.status[b] == IN_FLIGHT, self.status[b - 1] != PENDING) for b in later)

    @lemma
    def the_connection_holds_what_is_in_flight(self) -> bool:
        """answers and then requests carry the batches in flight, in order and without a gap"""
        acked, answered = self.acknowledged(), len(self.answers)
        answers = all(self.answers[i].batch == acked + i for i in range(len(self.answers)))
        requests = all(self.requests[i].batch == acked + answered + i for i in range(len(self.requests)))
        numbers = all(r.sequence == r.batch for r in self.requests)
        flying = sum(self.status[b] == IN_FLIGHT for b in range(self.batches))
        return answers and requests and numbers and flying == answered + len(self.requests)

    @lemma
    def the_connection_is_bounded(self) -> bool:
        """no more than max_in_flight batches are on the connection"""
        return len(self.requests) + len(self.answers) <= self.max_in_flight

    @lemma
    def answered_batches_are_in_the_log(self) -> bool:
        """the log has every answered batch, and at most max_in_flight batches that are not acknowledged"""
        acked, log = self.acknowledged(), len(self.log)
        return acked + len(self.answers) <= log <= acked + self.max_in_flight

    def acknowledged(self) -> int:
        return sum(self.status[b] == ACKED for b in range(self.batches))
