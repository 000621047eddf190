"""The kinds of faults, a row for each: its cap in `bounds`, its action in `faults`, and what follows elsewhere."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A kind of fault: the constant that caps it, the action that spends it, and what it does.

    `needs` are constants without which it cannot happen. `answers` a request, `elects` a leader, `restarts` a broker,
    `loses` a connection; `forgets`: a replica may remember less than its log afterwards. `shrinks`: for it a follower
    leaves the in-sync set. `logged`: the producer's log shows it each time.
    """

    cap: str
    action: str
    needs: dict[str, int] = dataclasses.field(default_factory=dict)
    answers: bool = False
    elects: bool = False
    restarts: bool = False
    loses: bool = False
    forgets: bool = False
    shrinks: bool = False
    logged: bool = False

    @property
    def behind(self) -> bool:
        """Whether brokers change without a line in the producer's log."""
        return not self.logged and (self.elects or self.restarts or self.forgets)


TABLE = (
    Fault("disconnects", "disconnect", loses=True, logged=True),
    Fault("refusals", "refuse", answers=True, shrinks=True, logged=True),
    Fault("late_errors", "answer_late"),
    Fault("invalid_records", "reject", answers=True, logged=True),
    Fault("too_large", "find_too_large", {"batches": 2}, answers=True, logged=True),
    Fault("deadlines", "delivery_timeout"),
    Fault("leader_changes", "change_leader", elects=True, loses=True),
    Fault("leader_crashes", "crash_leader", elects=True, restarts=True, loses=True, forgets=True),
    Fault("isr_shrinks", "shrink_isr", shrinks=True),
    Fault("unclean_elections", "elect_uncleanly", {"isr_shrinks": 1}, elects=True, loses=True),
    Fault("clean_restarts", "restart_cleanly", restarts=True, loses=True, forgets=True),
    Fault("crashes", "restart_after_crash", restarts=True, loses=True, forgets=True),
    Fault("power_cuts", "lose_power", {"isr_shrinks": 1}, restarts=True, loses=True, forgets=True),
    Fault("rolls", "roll"),
    Fault("retentions", "delete_records", forgets=True),
    Fault("expiries", "expire_producers", forgets=True),
    Fault("window_changes", "change_window", {"wide_window": 6}, forgets=True),
    Fault("producer_restarts", "restart_producer", {"pids": 3}, logged=True),
    Fault("foreign_appends", "append_foreign", {"pids": 3}),
)


def actions(field: str) -> tuple[str, ...]:
    """The actions of the faults for which a field is true, such as "elects"."""
    return tuple(fault.action for fault in TABLE if getattr(fault, field))


FAULTS = tuple(fault.cap for fault in TABLE)
ELECTIONS = tuple(fault.cap for fault in TABLE if fault.elects)
FORGETTING = tuple(fault.cap for fault in TABLE if fault.forgets)
"""Caps of all faults, of those in which another replica leads, and of those after which a replica remembers less."""
