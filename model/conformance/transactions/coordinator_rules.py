"""Which rules of docs/rules-transactions.md a step has shown: what was asked in which state, and Kafka's answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

COMPLETE = ("CompleteCommit", "CompleteAbort")
BUSY = "CONCURRENT_TRANSACTIONS"


@dataclass(frozen=True)
class Facts:
    """A request, or none: what it was, its pair, Kafka's answer; the coordinator before and after in the model."""

    kind: str
    pid: int
    epoch: int
    answer: str
    action: str
    before: Any
    after: Any
    tv2: bool
    highest: int

    def is_(self, kind: str, *answers: str) -> bool:
        """Whether such a request was answered so."""
        return self.kind == kind and (not answers or self.answer in answers)

    @property
    def preparing(self) -> bool:
        """Whether markers are being written."""
        return bool(self.before.state.startswith("Prepare"))

    @property
    def done(self) -> bool:
        """Whether the last transaction is complete."""
        return self.before.state in COMPLETE

    @property
    def same_id(self) -> bool:
        """Whether the request has the coordinator's producer id."""
        return bool(self.before.pid == self.pid)

    @property
    def same(self) -> bool:
        """Whether it has the coordinator's pair."""
        return self.same_id and bool(self.before.epoch == self.epoch)

    @property
    def exhausted(self) -> bool:
        """Whether the coordinator's epoch is."""
        return bool(self.before.epoch >= self.highest - 1)

    @property
    def fences(self) -> bool:
        """Whether an ongoing transaction was fenced."""
        begun = self.kind in ("start", "renew") or self.action.startswith("time_out")
        return begun and self.before.state == "Ongoing" and self.after.state == "PrepareAbort"


SHOWN: dict[str, Callable[[Facts], bool]] = {
    "T1.7": lambda f: f.action == "fail_over",
    "T1.8": lambda f: f.action == "fail_over" and f.preparing and list(f.before.unmarked) != list(f.after.unmarked),
    "T1.9": lambda f: f.action == "fail_over" and f.preparing and any(f.before.unmarked),
    "T1.10": lambda f: f.preparing and f.answer == BUSY and f.kind in ("start", "renew", "join", "end"),
    "T2.1": lambda f: f.is_("start", "NONE") and f.before.epoch < 0,
    "T2.2": lambda f: f.is_("start", "NONE") and f.before.epoch >= 0 and not f.exhausted,
    "T2.3": lambda f: f.is_("renew", "NONE", "PRODUCER_FENCED") and f.same_id and not f.exhausted,
    "T2.4": lambda f: f.is_("start", BUSY) and f.preparing,
    "T2.5": lambda f: f.is_("start", BUSY) and f.before.state == "Ongoing",
    "T2.6": lambda f: f.kind in ("start", "renew") and f.exhausted and f.answer in ("NONE", "UNKNOWN_SERVER_ERROR"),
    "T2.7": lambda f: f.is_("renew", "PRODUCER_FENCED") and not f.same_id,
    "T2.8": lambda f: f.is_("renew", BUSY) and f.before.state == "Ongoing" and not f.same,
    "T3.1": lambda f: f.is_("join"),
    "T3.2": lambda f: f.is_("join", "NONE") and list(f.before.partitions) == list(f.after.partitions),
    "T3.3": lambda f: f.is_("join", "NONE") and f.done,
    "T3.4": lambda f: f.kind in ("join", "end") and f.preparing and f.answer == BUSY and not f.same,
    "T3.5": lambda f: f.is_("verify"),
    "T3.6": lambda f: f.is_("verify") and f.done and f.same,
    "T4.1": lambda f: f.is_("end", "INVALID_PRODUCER_ID_MAPPING", "PRODUCER_FENCED"),
    "T4.2": lambda f: f.is_("end", "NONE") and f.before.state == "Ongoing",
    "T4.3": lambda f: f.is_("end", "NONE", "INVALID_TXN_STATE") and f.done and not f.tv2,
    "T4.4": lambda f: f.action in ("end_late", "stray_end") and f.is_("end", "NONE") and f.same and not f.tv2,
    "T4.5": lambda f: f.is_("end") and f.tv2 and (f.done or f.before.state == "Empty"),
    "T4.6": lambda f: f.is_("end", "NONE") and f.tv2 and f.after.epoch == f.before.epoch + 1,
    "T5.1": lambda f: f.fences and not f.tv2,
    "T5.2": lambda f: f.action.startswith("time_out"),
    "T5.3": lambda f: f.fences and f.tv2 and f.after.epoch == f.before.epoch + 2,
    "T5.4": lambda f: f.fences and f.tv2 and f.after.epoch == f.before.epoch + 1,
    "T5.5": lambda f: f.is_("end", "UNKNOWN_SERVER_ERROR"),
    "T5.6": lambda f: f.before.next_pid < 0 <= f.after.next_pid,
    "T5.7": lambda f: f.fences and f.tv2 and f.exhausted and f.after.next_pid < 0,
    "T5.9": lambda f: f.tv2 and f.before.epoch == f.highest and f.after.state == "PrepareAbort" != f.before.state,
    "T5.11": lambda f: f.fences,
    "T6.1": lambda f: f.action == "write_marker",
    "T6.2": lambda f: f.action == "delay_marker" or (f.action == "write_marker" and f.answer == "NONE"),
    "T6.3": lambda f: f.action == "write_marker" and f.answer != "NONE",
    "T6.4": lambda f: f.action == "complete",
    "T7.1": lambda f: f.is_("batch", "NONE"),
    "T7.2": lambda f: f.is_("batch", "INVALID_PRODUCER_EPOCH"),
    "T7.3, T7.4": lambda f: f.is_("marker", "NONE", "INVALID_PRODUCER_EPOCH"),
    "T7.5": lambda f: f.is_("marker", "TRANSACTION_COORDINATOR_FENCED"),
    "T7.6, T7.7": lambda f: f.is_("marker", "NONE"),
    "T7.9, T7.13": lambda f: f.is_("guard", "taken"),
    "T7.11": lambda f: f.is_("batch", "INVALID_TXN_STATE"),
    "T7.15": lambda f: f.is_("guard", "INVALID_PRODUCER_EPOCH"),
    "T7.16": lambda f: f.is_("batch", "OUT_OF_ORDER_SEQUENCE_NUMBER"),
}
"""By rules, what shows them. What every comparison shows (T1.1 to T1.3, T7.10, T7.14, T8.1 to T8.3) is not counted."""
