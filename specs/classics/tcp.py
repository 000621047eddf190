"""The state machine of TCP (RFC 9293), by which two peers connect and part, without sequence numbers.

One peer listens and one has just sent its SYN. From then on either may close, and either may reset, at any time; a peer
does not send the same segment twice in a row. Of the public model the opens are left out, which its action constraint
excludes.
"""

from typing import Any

from everystate.checker import (
    AnyOf,
    Array,
    Bool,
    Constant,
    Enum,
    Seq,
    Spec,
    action,
    constraint,
    fair,
    initial,
    invariant,
    leads_to,
    require,
)

STATES: tuple[str, ...] = (
    "closed",
    "listen",
    "syn sent",
    "syn received",
    "established",
    "fin wait 1",
    "fin wait 2",
    "closing",
)
STATES += ("close wait", "last ack", "time wait")
SEGMENTS = ("SYN", "SYN,ACK", "ACK", "RST", "FIN", "ACK of FIN")

CLOSES = {"syn received": "fin wait 1", "established": "fin wait 1", "close wait": "last ack"}
"""What a user who closes makes of a state; the other peer gets a FIN."""
ANSWERED = {
    ("syn sent", "SYN"): ("SYN,ACK", "syn received"),
    ("syn sent", "SYN,ACK"): ("ACK", "established"),
    ("listen", "SYN"): ("SYN,ACK", "syn received"),
    ("established", "FIN"): ("ACK of FIN", "close wait"),
    ("fin wait 1", "FIN"): ("ACK of FIN", "closing"),
    ("fin wait 2", "FIN"): ("ACK of FIN", "time wait"),
}
"""What is answered to a segment in a state, and what the state is then."""
TAKEN = {
    ("syn received", "RST"): "listen",
    ("syn received", "ACK"): "established",
    ("fin wait 1", "ACK of FIN"): "fin wait 2",
    ("closing", "ACK of FIN"): "time wait",
    ("last ack", "ACK of FIN"): "closed",
}
"""What a segment makes of a state where nothing is answered."""


class Tcp(Spec):
    """Two peers that connect and part: who waits for an answer gets one, or gives up."""

    room = Constant(6, "segments under way to a peer")

    may_terminate = True  # who is closed would open again

    def variables(self) -> None:
        begin = AnyOf(["syn sent", "listen"], ["listen", "syn sent"])
        self.state = Array(2, Enum(*STATES), init=begin)
        self.has_block = Array(2, Bool(init=True))
        self.under_way = Array(2, Seq(Enum(*SEGMENTS), self.room))

    @initial
    def a_syn_is_under_way(self) -> None:
        for peer in range(2):
            self.under_way[peer] = ["SYN"] if self.state[peer] == "listen" else []

    def next_is(self, peer: int, segment: str) -> Any:
        return len(self.under_way[peer]) > 0 and self.under_way[peer].first == segment

    # -- the user ------------------------------------------------------------------------------------------

    @fair(together="give up")
    @action(peer=range(2))
    def give_up(self, peer: int) -> None:
        require(self.state[peer] == "syn sent")
        self.state[peer] = "closed"
        self.has_block[peer] = False

    @action(peer=range(2))
    def stop_listening(self, peer: int) -> None:
        require(self.state[peer] == "listen")
        self.state[peer] = "closed"
        self.has_block[peer] = False

    @action(peer=range(2), state=tuple(CLOSES))
    def close(self, peer: int, state: str) -> None:
        require(self.state[peer] == state)
        self.under_way[1 - peer].append("FIN")
        self.state[peer] = CLOSES[state]

    # -- the system ----------------------------------------------------------------------------------------

    @fair(together="system")
    @action(peer=range(2), case=tuple(ANSWERED))
    def answer(self, peer: int, case: tuple[str, str]) -> None:
        state, segment = case
        require(self.state[peer] == state and self.next_is(peer, segment))
        answer, self.state[peer] = ANSWERED[case]
        self.under_way[peer].popleft()
        self.under_way[1 - peer].append(answer)

    @fair(together="system")
    @action(peer=range(2), case=tuple(TAKEN))
    def take(self, peer: int, case: tuple[str, str]) -> None:
        state, segment = case
        require(self.state[peer] == state and self.next_is(peer, segment))
        self.under_way[peer].popleft()
        self.state[peer] = TAKEN[case]

    @fair(together="system")
    @action(peer=range(2))
    def take_both(self, peer: int) -> None:
        """note 2 of the RFC"""
        require(self.state[peer] == "fin wait 1" and self.next_is(peer, "FIN"))
        require(len(self.under_way[peer]) > 1 and self.under_way[peer][1] == "ACK of FIN")
        self.under_way[peer].popleft()
        self.under_way[peer].popleft()
        self.under_way[1 - peer].append("ACK of FIN")
        self.state[peer] = "time wait"

    @fair(together="system")
    @action(peer=range(2))
    def time_out(self, peer: int) -> None:
        require(self.state[peer] == "time wait" and self.has_block[peer])
        self.state[peer] = "closed"
        self.has_block[peer] = False

    @action(peer=range(2))
    def reset(self, peer: int) -> None:
        """note 3 of the RFC"""
        require(self.has_block[peer])
        self.under_way[1 - peer].append("RST")
        self.state[peer] = "time wait"

    @action(peer=range(2), state=("listen", "closed"))
    def be_reset(self, peer: int, state: str) -> None:
        require(self.next_is(peer, "RST"))
        self.under_way[peer].popleft()
        self.state[peer] = state

    # -- what is asked -------------------------------------------------------------------------------------

    @constraint
    def nothing_is_sent_twice(self) -> Any:
        return all(
            not any(i + 1 < len(sent) and sent[i] == sent[i + 1] for i in range(self.room - 1))
            for sent in self.under_way
        )

    @invariant
    def both_or_none(self) -> Any:
        """where nothing is under way, both are connected, or none is"""
        some = len(self.under_way[0]) + len(self.under_way[1]) > 0
        return some or (self.state[0] == "established") == (self.state[1] == "established")

    @leads_to(peer=range(2))
    def gets_an_answer(self, peer: int) -> Any:
        """who has sent its SYN is connected some time, or listens, or is closed"""
        return self.state[peer] == "syn sent", self.state[peer] in ("established", "listen", "closed")
