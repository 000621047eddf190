"""The alternating bit protocol (Bartlett, Scantlebury and Wilkinson 1969), modelled as in "Specifying Systems".

Data gets across two lossy FIFO lines, one for messages and one for acknowledgements, with a single bit as its number.
"""

from typing import Self

from everystate.checker import (
    AnyOf,
    Constant,
    Int,
    Record,
    Seq,
    Spec,
    action,
    constraint,
    fair,
    implies,
    initial,
    leads_to,
    narrate,
    require,
    step_invariant,
    strongly_fair,
)


class Message(Record):
    """A datum with the bit that tells a new one from a repetition."""

    bit: int
    datum: int


class AlternatingBit(Spec):
    """Send data over lossy lines, each datum numbered with one bit."""

    data = Constant(2, "different data")
    message_queue = Constant(2, "messages under way at the same time")
    ack_queue = Constant(2, "acknowledgements under way at the same time")

    def variables(self) -> None:
        # Sending never blocks, so each line has room for one more than the constraint explores.
        message = Message.of(bit=Int(0, 1), datum=Int(1, self.data))
        self.messages = Seq(message, self.message_queue + 1)
        self.acks = Seq(Int(0, 1), self.ack_queue + 1)

        self.sent = Int(1, self.data, init=AnyOf())
        self.sender_bit = Int(0, 1, init=AnyOf())
        self.acked_bit = Int(0, 1)
        self.received = Int(1, self.data, init=AnyOf())
        self.receiver_bit = Int(0, 1)

    @initial
    def all_is_acknowledged(self) -> None:
        self.receiver_bit = self.sender_bit
        self.acked_bit = self.sender_bit

    @action(datum=lambda self: range(1, self.data + 1))
    def send_new(self, datum: int) -> None:
        require(self.acked_bit == self.sender_bit)
        self.sent = datum
        self.sender_bit = 1 - self.sender_bit
        self.messages.append(Message(bit=self.sender_bit, datum=datum))
        narrate("new datum", at="sender")

    @fair
    @action
    def send_again(self) -> None:
        require(self.acked_bit != self.sender_bit)
        self.messages.append(Message(bit=self.sender_bit, datum=self.sent))
        narrate("same datum again", at="sender")

    @strongly_fair
    @action
    def receive(self) -> None:
        require(len(self.messages) > 0)
        message = self.messages.popleft()
        self.receiver_bit = message.bit
        self.received = message.datum
        narrate("message", source="sender", target="receiver")

    @fair
    @action
    def acknowledge(self) -> None:
        self.acks.append(self.receiver_bit)

    @strongly_fair
    @action
    def receive_ack(self) -> None:
        require(len(self.acks) > 0)
        self.acked_bit = self.acks.popleft()
        narrate("acknowledgement", source="receiver", target="sender")

    @action(position="message_queue")
    def lose_message(self, position: int) -> None:
        require(position < len(self.messages))
        self.messages.pop(position)
        narrate("message", source="sender", target="receiver", lost=True)

    @action(position="ack_queue")
    def lose_ack(self, position: int) -> None:
        require(position < len(self.acks))
        self.acks.pop(position)
        narrate("acknowledgement", source="receiver", target="sender", lost=True)

    @constraint
    def short_queues(self) -> bool:
        """only states with few messages and acknowledgements under way are explored"""
        return len(self.messages) <= self.message_queue and len(self.acks) <= self.ack_queue

    @step_invariant
    def what_arrives_was_sent(self, before: Self) -> bool:
        """when the receiver takes a new datum, it is the one that the sender is sending"""
        return implies(self.receiver_bit != before.receiver_bit, self.received == self.sent)

    @step_invariant
    def nothing_is_received_twice(self, before: Self) -> bool:
        """a repetition of the last message changes nothing at the receiver"""
        return implies(self.receiver_bit == before.receiver_bit, self.received == before.received)

    @step_invariant
    def nothing_is_skipped(self, before: Self) -> bool:
        """the sender goes on to a new datum only after the last one has been received"""
        return implies(self.sender_bit != before.sender_bit, before.receiver_bit == before.sender_bit)

    @leads_to
    def data_get_across(self) -> tuple[bool, bool]:
        """if lines do not lose everything for ever, each datum is acknowledged some time"""
        return self.acked_bit != self.sender_bit, self.acked_bit == self.sender_bit
