"""The leaders: every partition of a request is judged by itself, and all results go back in one answer."""

from __future__ import annotations

from typing import Any

from everystate.checker import action, fair, narrate, require

from .records import INVALID, NONE, NOT_LEADER, OLD_EPOCH, OUT_OF_ORDER, RETRIABLE, UNREAD
from .variables import Variables


class Broker(Variables):
    """What nodes do with requests."""

    @fair
    @action(node=lambda w: w.healthy)
    def handle(self, node: int) -> None:
        """P5.1, B7: the oldest request of a connection is executed."""
        self.execute(node)

    @action(node=lambda w: (w.stuck,) if w.stuck >= 0 and w.late else ())
    def handle_late(self, node: int) -> None:
        """The same by a node that may never do so."""
        self.execute(node)

    @fair
    @action(node=lambda w: range(w.nodes) if w.behind >= 0 and w.patience else ())
    def wait_no_more(self, node: int) -> None:
        """P5.3: the time of the request is over, with REQUEST_TIMED_OUT for what is not replicated."""
        require(self.waits_for_follower(node))
        self.wire[node][0].items[self.behind].result = RETRIABLE
        narrate(f"REQUEST_TIMED_OUT for partition {self.behind}", at=f"n{node}")

    @action(
        node="nodes",
        partition=lambda w: w.faulty if w.refusals or w.failures else (),
        result=lambda w: (*((RETRIABLE,) if w.refusals else ()), *((INVALID,) if w.failures else ())),
    )
    def refuse(self, node: int, partition: int, result: str) -> None:
        """B1.3, B1.5: one partition of the request is not appended; the others are none the worse (P5.1)."""
        self.spend("refusals" if result == RETRIABLE else "failures")
        require(self.leader[partition].node == node)
        item = self.oldest(node).items[partition]
        require(item.result == UNREAD)
        item.result = result
        narrate(f"{result} for partition {partition}", at=f"n{node}")
        self.execute(node)

    def oldest(self, node: int) -> Any:
        """The oldest request that has no answer: answers come in order."""
        at = sum(r.answered for r in self.wire[node])
        require(at < len(self.wire[node]))
        return self.wire[node][at]

    def execute(self, node: int) -> None:
        """The oldest request without an answer gets it; what it said of sequences is of no use any more."""
        request = self.oldest(node)
        for p in self.parts:
            item = request.items[p]
            if item.result == UNREAD:
                item.result = self.append(node, p, item)
            item.epoch, item.sequence = 0, 0
        request.answered = True

    def append(self, node: int, partition: int, item: Any) -> str:
        """B1.2, B2, B3, B4 for the batch of one partition; all that one epoch has sent is remembered."""
        leader = self.leader[partition]
        if leader.node != node:
            return NOT_LEADER
        if item.epoch < leader.epoch:
            return OLD_EPOCH
        last = leader.last if item.epoch == leader.epoch else -1
        if item.sequence <= last:
            return NONE
        if item.sequence != last + 1:
            return OUT_OF_ORDER
        leader.epoch, leader.last = item.epoch, item.sequence
        leader.log.append(item.batch)
        return NONE
