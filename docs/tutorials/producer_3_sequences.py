"""Every batch has a sequence number, and the broker knows which one it expects next."""

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
    implies,
    invariant,
    narrate,
    reachable,
    require,
)

PENDING, IN_FLIGHT, ACKED = "pending", "in flight", "acked"


class Request(Record):
    """A batch on its way to the broker."""

    sequence: int
    batch: int


class Answer(Record):
    """The broker's answer to one request."""

    batch: int
    ok: bool


class Producer(Spec):
    """A producer, a connection and a broker."""

    batches = Constant(3, "batches to send, one record each")
    max_in_flight = Constant(2, "requests outstanding on the connection")
    resets = Constant(1, "connection losses")

    may_terminate = True

    def variables(self) -> None:
        batch = Int(0, self.batches - 1)
        self.status = Array(self.batches, Enum(PENDING, IN_FLIGHT, ACKED))
        self.requests = Seq(Request.of(sequence=batch, batch=batch), self.max_in_flight)
        self.answers = Seq(Answer.of(batch=batch, ok=Bool()), self.max_in_flight)
        self.log = Seq(batch, self.batches * (self.resets + 1))
        self.next_expected = Int(0, self.batches)
        self.losses = Int(0, self.resets)

    @action
    def send(self) -> None:
        """Send the smallest batch that is pending."""
        batch = self.first_pending()
        require(len(self.requests) + len(self.answers) < self.max_in_flight)
        self.requests.append(Request(sequence=batch, batch=batch))
        self.status[batch] = IN_FLIGHT
        narrate(f"append b{batch} (seq {batch})", source="producer", target="broker")

    def first_pending(self) -> int:
        for batch in range(self.batches):
            if self.status[batch] == PENDING:
                return batch
        require(False)
        return 0

    @action
    def broker(self) -> None:
        """Handle the oldest request: append it, recognise a duplicate, or refuse it."""
        require(self.requests)
        request = self.requests.popleft()
        if request.sequence == self.next_expected:
            ok = True
            self.log.append(request.batch)
            self.next_expected += 1
            narrate(f"b{request.batch} goes into the log", at="broker")
        else:
            ok = request.sequence < self.next_expected
            narrate(f"b{request.batch} is " + ("a duplicate" if ok else "out of order"), at="broker")
        self.answers.append(Answer(batch=request.batch, ok=ok))

    @action
    def answer(self) -> None:
        """Handle the oldest answer."""
        require(self.answers)
        answer = self.answers.popleft()
        self.status[answer.batch] = ACKED if answer.ok else PENDING
        narrate(f"b{answer.batch} is " + ("acknowledged" if answer.ok else "refused"), at="producer")

    @action
    def reset(self) -> None:
        """The connection is lost with everything on it; what was in flight must be sent again."""
        require(self.losses < self.resets)
        require(any([self.requests, self.answers]))
        self.losses += 1
        narrate("connection lost", source="producer", target="broker", lost=True)
        self.requests.clear()
        self.answers.clear()
        for batch in range(self.batches):
            if self.status[batch] == IN_FLIGHT:
                self.status[batch] = PENDING

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

    @reachable
    def all_acked(self) -> bool:
        """every batch can be acknowledged"""
        return all(status == ACKED for status in self.status)
