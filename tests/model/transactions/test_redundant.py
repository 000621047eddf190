"""Lines of the model that no behaviour can tell: why, checked in every state, whoever asks whatever."""

from __future__ import annotations

import pytest

from everystate.checker import Bool, implies, initial, invariant, require
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.model.conformance.transactions.stray_requests import StrayRequests
from everystate.model.transactions import KafkaTransactions
from everystate.model.transactions.properties import Properties
from everystate.model.transactions.records import FATAL, NEW, ONGOING, OUT_OF_ORDER, UNDECIDED


class AskedByAnybody(Properties):
    """InitProducerId, AddPartitionsToTxn and EndTxn of any producer id and epoch, at any time."""

    known_id = StrayRequests.known_id
    stray_start, stray_renew = StrayRequests.stray_start, StrayRequests.stray_renew
    stray_join, stray_end = StrayRequests.stray_join, StrayRequests.stray_end

    @invariant
    def NothingIsLeftBehindAnEnd(self) -> bool:
        """T2.2: so a start need not forget partitions"""
        ended = not (self.coordinator.state == ONGOING or self.preparing())
        return implies(ended, not any(self.coordinator.partitions) and not any(self.coordinator.unmarked))

    @invariant
    def TheIdBeforeIsOfAFirstEpoch(self) -> bool:
        """T4.5: so, but while markers are out, an EndTxn with the id before need not ask whether the epoch is 0"""
        tc = self.coordinator
        return self.preparing() or tc.previous_pid == tc.pid or tc.epoch == 0

    @invariant
    def AnExhaustedIdIsNotedAlready(self) -> bool:
        """T2.6: so a rotation need not note it; not so until 3.9 (`test_coordinator.py`)"""
        tc = self.coordinator
        return self.preparing() or not self.exhausted() or tc.previous_pid == tc.pid


SMALL = {"partitions": 1, "transactions": 1, "epochs": 2, "pids": 3, "failovers": 1, "timeouts": 1, "faults": 2}
MINE = ("NothingIsLeftBehindAnEnd", "TheIdBeforeIsOfAFirstEpoch", "AnExhaustedIdIsNotedAlready")


@pytest.mark.parametrize(
    ("generation", "states", "broken"),
    [("4.3", 29_296, {}), ("4.0.2", 64_770, {}), ("classic", 317_109, dict.fromkeys(MINE[1:], 7))],
)
def test_what_some_lines_of_the_coordinator_are_not_needed_for(
    generation: str, states: int, broken: dict[str, int]
) -> None:
    result = check(build(AskedByAnybody(generation=generation, **SMALL)))
    assert not result.stopped
    assert result.distinct == states
    assert {v.property: v.length for v in result.violations if v.property in MINE} == broken


class WrittenByAnybody(Properties):
    """No producer starts; records and markers of any producer id and epoch come, as long as the log has room."""

    stray_record, stray_marker = StrayRequests.stray_record, StrayRequests.stray_marker

    def known_id(self) -> None:
        """The coordinator is not asked."""

    @initial
    def nothing_has_happened(self) -> None:
        super().nothing_has_happened()
        self.producer[0].status = NEW

    def write(self, partition: int, slot: int) -> None:
        require(self.log[partition].end < self.transactions)
        super().write(partition, slot)

    @invariant
    def UndecidedIsWhatIsOpen(self) -> bool:
        """T7.6: so a marker need not ask where the open transaction begins"""
        return all(
            implies(at < self.log[p].end, (self.log[p].entries[at].fate == UNDECIDED) == self.is_of_an_open_one(p, at))
            for p in self.places
            for at in range(self.transactions)
        )

    def is_of_an_open_one(self, partition: int, at: int) -> bool:
        """Whether a record is in a transaction that is open."""
        firsts = (self.known[partition][pid].first for pid in range(self.pids))
        mine = (self.log[partition].entries[at].pid == pid for pid in range(self.pids))
        return any(of and first >= 0 and first <= at for of, first in zip(mine, firsts, strict=True))


def test_where_an_open_transaction_begins_need_not_be_asked() -> None:
    constants = {"partitions": 1, "transactions": 3, "epochs": 2, "pids": 2, "faults": 0}
    result = check(build(WrittenByAnybody(generation="4.3-unverified", **constants)))
    assert (result.stopped, result.distinct) == ("", 295_830)
    assert {v.property for v in result.violations} & {"UndecidedIsWhatIsOpen"} == set()


class Hasty(KafkaTransactions):
    """`lost`: somebody heard of an order that is out, although the sequence before the next one is acknowledged."""

    def variables(self) -> None:
        super().variables()
        self.lost = Bool()

    def hear_answer(self, session: int, partition: int, answer: str) -> None:
        gone = self.producer[session].status == FATAL
        if answer == OUT_OF_ORDER:
            self.lost = self.lost or not (gone or self.gap[session][partition])
        super().hear_answer(session, partition, answer)

    @invariant
    def OrderIsOutBehindAGapOnly(self) -> bool:
        """T9.11: so nobody need forget a gap when a record is acknowledged, or with a new pair"""
        return not self.lost


def test_no_order_is_out_but_behind_a_gap() -> None:
    constants = {"partitions": 1, "transactions": 3, "deadlines": 2, "takeovers": 1, "sessions": 2, "faults": 3}
    result = check(build(Hasty(generation="4.3-unverified", hasty=True, **constants)))
    assert (result.stopped, result.distinct) == ("", 18_554)
    assert {v.property for v in result.violations} & {"OrderIsOutBehindAGapOnly"} == set()
