"""The gate between brokers: a follower's fetches pass through it, and stand still where the driver wants them to.

It is a proxy at whose ports other brokers reach a broker. Everything passes but the answers of fetches that hold
records of the topic beyond `data`, and fetches that would tell the leader that the follower has reached an offset
beyond `known`. So a follower can have a batch while the leader does not know it: the answer to the producer waits
(B6.1).
"""

from __future__ import annotations

from .proxy import Frame, Proxy, Verdict

EVERYTHING, NOTHING = 1 << 60, -1
FETCH = 1


class Gate(Proxy):
    """The gates of all brokers, for a `with`; what a fetch says is read by a subclass."""

    def __init__(self) -> None:
        self.data = self.known = EVERYTHING
        self.topic = ""
        super().__init__(judge=self._judge)

    def asked(self, request: Frame) -> int:
        """The offset of the topic that a fetch asks for, -1 where it says nothing of it."""
        return -1

    def brought(self, answer: Frame) -> int:
        """The end of what the answer to a fetch holds of the topic, -1 where it holds nothing."""
        return -1

    def allow(self, data: int, known: int) -> None:
        """Followers may have what lies before `data`, and leaders may know of what lies before `known`."""
        self.data, self.known = data, known
        self.again()

    def _judge(self, frame: Frame) -> Verdict:
        if frame.api != FETCH:
            return Verdict.PASS
        held = self.brought(frame) > self.data if frame.is_answer else self.asked(frame) > self.known
        return Verdict.HOLD if held else Verdict.PASS
