"""Lines of the coordinator that no behaviour can tell: why, checked in every state, whoever asks whatever."""

from __future__ import annotations

import pytest

from everystate.checker import any_of, implies, invariant, none_of
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.ir.model import build
from everystate.model.conformance.transactions.strays import Strays
from everystate.model.transactions.properties import Properties
from everystate.model.transactions.records import ONGOING


class AskedByAnybody(Properties):
    """InitProducerId, AddPartitionsToTxn and EndTxn of any producer id and epoch, at any time."""

    known_id, start_anew = Strays.known_id, Strays.start_anew
    stray_start, stray_renew = Strays.stray_start, Strays.stray_renew
    stray_join, stray_end = Strays.stray_join, Strays.stray_end

    @invariant
    def NothingIsLeftBehindAnEnd(self) -> bool:
        """T2.2: so a start need not forget partitions"""
        ended = none_of(self.coordinator.state == ONGOING, self.preparing())
        return implies(ended, none_of(self.coordinator.partitions) & none_of(self.coordinator.unmarked))

    @invariant
    def TheIdBeforeIsOfAFirstEpoch(self) -> bool:
        """T4.5: so, but while markers are out, an EndTxn with the id before need not ask whether the epoch is 0"""
        tc = self.coordinator
        return any_of(self.preparing(), tc.previous_pid == tc.pid, tc.epoch == 0)

    @invariant
    def AnExhaustedIdIsNotedAlready(self) -> bool:
        """T2.6: so a rotation need not note it; not so until 3.9 (`test_coordinator.py`)"""
        tc = self.coordinator
        return any_of(self.preparing(), none_of(self.exhausted()), tc.previous_pid == tc.pid)


SMALL = {"partitions": 1, "transactions": 1, "epochs": 2, "pids": 3, "failovers": 1, "timeouts": 1, "faults": 2}
MINE = ("NothingIsLeftBehindAnEnd", "TheIdBeforeIsOfAFirstEpoch", "AnExhaustedIdIsNotedAlready")


@pytest.mark.parametrize(
    ("generation", "states", "broken"),
    [("4.3", 29_296, {}), ("4.0.2", 64_770, {}), ("classic", 177_408, dict.fromkeys(MINE[1:], 7))],
)
def test_what_some_lines_of_the_coordinator_are_not_needed_for(
    generation: str, states: int, broken: dict[str, int]
) -> None:
    result = check(build(AskedByAnybody(generation=generation, **SMALL)))
    assert not result.stopped
    assert result.distinct == states
    assert {v.property: v.length for v in result.violations if v.property in MINE} == broken
