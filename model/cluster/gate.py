"""The gate between brokers: a follower's fetches pass through it, and are held where the driver requires that.

It is a proxy at whose ports other brokers reach a broker. Everything passes except the answers of fetches with records
of the topic beyond `data`, and fetches that would inform the leader that the follower has reached an offset beyond
`known`. So a follower can have a batch while the leader does not know it: the answer to the producer waits (B6.1).
"""

from __future__ import annotations

from .proxy import Frame, Proxy, Verdict

EVERYTHING, NOTHING = 1 << 60, -1
FETCH = 1


class Gate(Proxy):
    """The gates of all brokers, as a context manager; a subclass decodes the fetches."""

    def __init__(self) -> None:
        self.data = self.known = EVERYTHING
        self.topic = ""
        super().__init__(judge=self._judge)

    def asked(self, request: Frame) -> int:
        """The offset of the topic that a fetch requests, -1 where it has none."""
        return -1

    def brought(self, answer: Frame) -> int:
        """The end of the topic's records in the answer to a fetch, -1 where it has none."""
        return -1

    def allow(self, data: int, known: int) -> None:
        """Followers may have records before `data`, and leaders may know of those before `known`."""
        self.data, self.known = data, known
        self.again()

    def _judge(self, frame: Frame) -> Verdict:
        if frame.api != FETCH:
            return Verdict.PASS
        held = self.brought(frame) > self.data if frame.is_answer else self.asked(frame) > self.known
        return Verdict.HOLD if held else Verdict.PASS
