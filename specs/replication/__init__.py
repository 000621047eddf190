"""Scenarios of three replicas with min.insync.replicas = 2, as data, with exact shortest lengths.

Each is a scenario of one or two replicas (specs/kafka) under the usual settings of production.
docs/explanation/replication.md has the verdicts of all of them for two and three replicas, with min.insync.replicas 1
and 2.
"""

from __future__ import annotations

from typing import Any

from ...checker.language.scenario import Scenario
from ..kafka.common import kafka
from . import eligible, truncation


def three(
    name: str, title: str, text: str, expected: dict[str, int] | None = None, *, slow: bool = False, **constants: Any
) -> Scenario:
    """A scenario with replication factor 3 and min.insync.replicas = 2."""
    return kafka(f"three-replicas/{name}", title, text, expected, slow=slow, replicas=3, min_insync=2, **constants)


THREE: list[Scenario] = [
    three(
        "leader-crash",
        "Three replicas: the leader crashes, an in-sync follower leads",
        "What is acknowledged is on every replica in sync (B6.1), so whoever is elected has it (D3).",
        batches=3,
        leader_crashes=1,
    ),
    three(
        "clean-restart-of-the-follower",
        "Three replicas: a follower restarts cleanly, then leads: a record is written twice",
        "One of the replicas in sync remembers one batch of each producer (D6). A third one does not help: the "
        "controller asks nobody what it remembers.",
        {"NoDuplicate": 14},
        clean_restarts=1,
        leader_crashes=1,
        faults=2,
        goals="bump, out of order",
    ),
    three(
        "rolling-restart",
        "Three replicas: all restart, each before the last one is back in sync: a record is written twice",
        "The last one in sync leads on when it is back, with one remembered batch of each producer (D6). With too few "
        "in sync the retries are refused (B1.3) until one of the others is back.",
        {"NoDuplicate": 14},
        batches=2,
        clean_restarts=3,
        faults=3,
        goals="bump, out of order",
    ),
    three(
        "two-clean-leader-changes",
        "Three replicas: leadership moves twice: a record is written twice",
        "As with two replicas (current/two-clean-leader-changes): everybody is in sync, so how many there are is of no "
        "matter. The leader need not come back.",
        {"NoDuplicate": 16},
        batches=3,
        max_in_flight=3,
        leader_changes=2,
        faults=2,
    ),
    three(
        "old-and-new-leader",
        "Three replicas: more in flight over two connections than one replica remembers: a record is written twice",
        "As with two replicas (current/old-and-new-leader-scaled): two in flight, two remembered.",
        {"NoDuplicate": 16},
        window=2,
        batches=3,
        leader_changes=1,
        disconnects=1,
        faults=2,
        goals="bump, out of order",
    ),
    three(
        "min-insync-2",
        "Three replicas: a follower falls behind: the others go on",
        "Two in sync are enough (B1.3), unlike current/min-insync-2.",
        isr_shrinks=1,
        disconnects=1,
        faults=2,
    ),
    three(
        "unclean-election",
        "Three replicas: an unclean election loses an acknowledged record, with min.insync.replicas = 2, too",
        "One follower falls behind, two replicas acknowledge a record, the other follower goes, too, and the first is "
        "elected uncleanly. With two replicas and min.insync.replicas = 2 nothing is lost.",
        {"AckedIsPersisted": 6},
        isr_shrinks=2,
        unclean_elections=1,
        faults=3,
    ),
    three(
        "eligible-leader-replicas",
        "Three replicas: with eligible leader replicas (KIP-966) the same faults lose nothing",
        "Who left the in-sync set while it was large enough is not eligible; who left it later has all that was "
        "acknowledged, since the high watermark stands with too few in sync (B6.1).",
        elr=True,
        isr_shrinks=2,
        unclean_elections=1,
        faults=3,
    ),
]
SCENARIOS = [*THREE, *truncation.SCENARIOS, *eligible.SCENARIOS]

__all__ = ["SCENARIOS", "THREE"]
