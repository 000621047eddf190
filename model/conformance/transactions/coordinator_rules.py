"""The rules of docs/reference/rules-transactions.md that a step has shown, by request, state and Kafka's answer."""

from __future__ import annotations

from collections.abc import Callable

from ..driver import Observation
from ..facts import StepFacts, shown
from .coordinator_moves import (
    ANSWERS,
    BATCH,
    BUSY,
    EARLY,
    END,
    JOIN,
    MARKER,
    NOT_WRITTEN,
    RENEW,
    START,
    TO_CLIENT,
    VERIFY,
    WAITS,
    WHILE_WRITING,
    CoordinatorMove,
    Setup,
)
from .numbers import HIGHEST

EMPTY, DONE = "Empty", ("CompleteCommit", "CompleteAbort")


class Facts(StepFacts):
    """One step of the coordinator and the leaders."""

    @property
    def answer(self) -> str:
        """Kafka's answer to the request of the step; empty where there is none."""
        found = self.after.get(ANSWERS.get(self.move.kind, ""), "")
        return str(found[0] if isinstance(found, tuple) else found)

    @property
    def heard(self) -> str:
        """The answer that the coordinator gets to a marker; that of the model's leader where no log is driven."""
        return self.answer or self.move.answer

    def is_(self, kind: str, *answers: str) -> bool:
        """Whether such a request was answered so."""
        return self.move.kind == kind and self.answer != "" and (not answers or self.answer in answers)

    @property
    def tv2(self) -> bool:
        """Whether each transaction has an epoch of its own."""
        return self.setup.tv == 2

    @property
    def tv2_fences(self) -> bool:
        """Whether the coordinator ends a transaction by itself as one of TV2."""
        return self.setup.cluster == 2

    @property
    def state(self) -> str:
        """The state before the step; empty for an id that is not known."""
        return str(self.before.get("state", ""))

    @property
    def epochs(self) -> tuple[int, int]:
        """The coordinator's epoch before and after the step; -1 for an id that is not known."""
        before, after = (seen.get("producer id and epoch", (-1, -1))[1] for seen in (self.before, self.after))
        return before, after

    @property
    def next_pids(self) -> tuple[int, int]:
        """The next producer id before and after the step; -1 for none."""
        return self.before.get("next producer id", -1), self.after.get("next producer id", -1)

    @property
    def unmarked(self) -> tuple[list[int], list[int]]:
        """The partitions that were to get a marker, and are."""
        name = "markers on their way"
        return [each[0] for each in self.before[name]], [each[0] for each in self.after[name]]

    @property
    def preparing(self) -> bool:
        """Whether markers are being written."""
        return self.state.startswith("Prepare")

    @property
    def done(self) -> bool:
        """Whether the last transaction is complete."""
        return self.state in DONE

    @property
    def same_id(self) -> bool:
        """Whether the request has the coordinator's producer id."""
        return self.same or self._pair[0] == self.before.get("producer id and epoch", (-1, -1))[0]

    @property
    def same(self) -> bool:
        """Whether it has the coordinator's pair."""
        return bool(self._pair == self.before.get("producer id and epoch", (-1, -1)))

    @property
    def _pair(self) -> tuple[int, int]:
        return self.move.pair or (-1, -1)

    @property
    def exhausted(self) -> bool:
        """Whether the coordinator's epoch is."""
        return self.epochs[0] >= HIGHEST - 1

    @property
    def fences(self) -> bool:
        """Whether an ongoing transaction was fenced."""
        begun = self.move.kind in (START, RENEW) or self.action.startswith("time_out")
        return begun and self.state == "Ongoing" and self.after.get("state") == "PrepareAbort"

    @property
    def early(self) -> bool:
        """Whether a record was refused before it got a guard."""
        return bool(self.after.get(EARLY))


SHOWN: dict[str, Callable[[Facts], bool]] = {
    "T1.4": lambda f: WHILE_WRITING in f.after,
    "T1.6": lambda f: NOT_WRITTEN in f.after,
    "T1.7": lambda f: f.action.startswith("fail_over"),
    "T1.13": lambda f: f.action == "elect_coordinator_uncleanly",
    "T1.8": lambda f: f.action.startswith("fail_over") and f.preparing and f.unmarked[0] != f.unmarked[1],
    "T1.9": lambda f: f.action.startswith("fail_over") and f.preparing and bool(f.unmarked[0]),
    "T1.10": lambda f: f.preparing and f.answer == BUSY and f.move.kind in (START, RENEW, JOIN, END),
    "T2.1": lambda f: f.is_(START, "NONE") and f.epochs[0] < 0,
    "T2.2": lambda f: f.is_(START, "NONE") and f.epochs[0] >= 0 and not f.exhausted,
    "T2.3": lambda f: f.is_(RENEW, "NONE", "PRODUCER_FENCED") and f.same_id and not f.exhausted,
    "T2.4": lambda f: f.is_(START, BUSY) and f.preparing,
    "T2.5": lambda f: f.is_(START, BUSY) and f.state == "Ongoing",
    "T2.6": lambda f: f.move.kind in (START, RENEW) and f.exhausted and f.answer in ("NONE", "UNKNOWN_SERVER_ERROR"),
    "T2.7": lambda f: f.is_(RENEW, "PRODUCER_FENCED") and not f.same_id,
    "T2.8": lambda f: f.is_(RENEW, BUSY) and f.state == "Ongoing" and not f.same,
    "T3.1": lambda f: f.is_(JOIN),
    "T3.2": lambda f: f.is_(JOIN, "NONE") and f.before.get("partitions") == f.after["partitions"],
    "T3.3": lambda f: f.is_(JOIN, "NONE") and f.done,
    "T3.4": lambda f: f.move.kind in (JOIN, END) and f.preparing and f.answer == BUSY and not f.same,
    "T3.5": lambda f: f.is_(VERIFY),
    "T3.6": lambda f: f.is_(VERIFY) and f.done and f.same,
    "T4.1": lambda f: f.is_(END, "INVALID_PRODUCER_ID_MAPPING", "PRODUCER_FENCED"),
    "T4.2": lambda f: f.is_(END, "NONE") and f.state == "Ongoing",
    "T4.3": lambda f: f.is_(END, "NONE", "INVALID_TXN_STATE") and f.done and not f.tv2,
    "T4.4": lambda f: f.action in ("end_late", "stray_end") and f.is_(END, "NONE") and f.same and not f.tv2,
    "T4.5": lambda f: f.is_(END) and f.tv2 and (f.done or f.state == EMPTY),
    "T4.6": lambda f: f.is_(END, "NONE") and f.tv2 and f.epochs[1] == f.epochs[0] + 1,
    "T5.1": lambda f: f.fences and not f.tv2_fences,
    "T5.2": lambda f: f.action.startswith("time_out"),
    "T5.3": lambda f: f.fences and f.tv2_fences and f.epochs[1] == f.epochs[0] + 2,
    "T5.4": lambda f: f.fences and f.tv2_fences and f.epochs[1] == f.epochs[0] + 1,
    "T5.5": lambda f: f.is_(END, "UNKNOWN_SERVER_ERROR"),
    "T5.6": lambda f: f.next_pids[0] < 0 <= f.next_pids[1],
    "T5.7": lambda f: f.fences and f.tv2_fences and f.exhausted and f.next_pids[1] < 0,
    "T5.9": lambda f: f.epochs[0] == HIGHEST and f.after.get("state") == "PrepareAbort" != f.state,
    "T5.10": lambda f: f.fences and NOT_WRITTEN in f.after,
    "T5.11": lambda f: f.fences,
    "T6.1": lambda f: f.action == "write_marker",
    "T6.2": lambda f: f.action == "delay_marker" or (f.action == "write_marker" and f.heard == "NONE"),
    "T6.3": lambda f: f.action == "write_marker" and f.heard != "NONE",
    "T6.4": lambda f: f.action == "complete",
    "T7.1": lambda f: f.is_(BATCH, "NONE"),
    "T7.2": lambda f: f.is_(BATCH, "INVALID_PRODUCER_EPOCH") and not f.early,
    **dict.fromkeys(("T7.3", "T7.4"), lambda f: f.is_(MARKER, "NONE", "INVALID_PRODUCER_EPOCH")),
    "T7.5": lambda f: f.is_(MARKER, "TRANSACTION_COORDINATOR_FENCED"),
    **dict.fromkeys(("T7.6", "T7.7"), lambda f: f.is_(MARKER, "NONE")),
    **dict.fromkeys(("T7.9", "T7.13"), lambda f: f.after.get(WAITS) is True),
    "T7.11": lambda f: f.is_(BATCH, "INVALID_TXN_STATE"),
    "T7.12": lambda f: bool(f.after.get(TO_CLIENT)),
    "T7.15": lambda f: f.is_(BATCH, "INVALID_PRODUCER_EPOCH") and f.early,
    "T7.19": lambda f: f.action in ("elect", "elect_after_record", "elect_after_marker"),
    "T7.20": lambda f: f.action == "elect_uncleanly",
    **dict.fromkeys(("T7.16", "T7.17"), lambda f: f.is_(BATCH, "OUT_OF_ORDER_SEQUENCE_NUMBER")),
}
"""By rule, the condition that shows it. The rules that every comparison shows (T1.1 to T1.3, T7.10, T7.14, T8.1 to
T8.3) are not counted."""


def exercised(setup: Setup, move: CoordinatorMove, before: Observation, after: Observation) -> list[str]:
    """The rules whose effect was seen in a step."""
    return shown(SHOWN, Facts(setup, move, before, after))
