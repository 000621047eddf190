"""What the text of KIP-1269 leaves open, where it changes a verdict, and the smallest sets of changes that suffice.

docs/explanation/kip-1269.md tells the whole space; these are its corners.
"""

from __future__ import annotations

from typing import Any

from .common import every, kafka
from .kip_1269 import WIDE

TWO_TOPICS: dict[str, Any] = {
    **WIDE,
    "batches": 6,
    "partitions": 2,
    "replicas": 1,
    "wide_replicas": "0:0",
    "disconnects": 1,
}
TWICE: dict[str, Any] = {"batches": 3, "max_in_flight": 3, "leader_changes": 2, "faults": 2}
EVERYTHING: dict[str, Any] = {
    **WIDE,
    "wide_replicas": "01",
    **every(("leader_crashes", "leader_changes", "window_changes", "clean_restarts", "disconnects"), 2),
    "faults": 2,
}
AGAIN = "bump, out of order"

READINGS = [
    kafka(
        "kip-1269/raised-on-one-replica",
        "The raised value has reached the leader only, which crashes: a record is written twice",
        "A topic config reaches each replica in its own time (K7). The leader tells the new value (K2) as soon as it "
        "knows it; nobody asks whether the others do.",
        {"NoDuplicate": 18},
        **WIDE,
        window_changes=1,
        leader_crashes=1,
        faults=2,
        goals=AGAIN,
    ),
    kafka(
        "kip-1269/lowered-and-back",
        "The leader moves and comes back, with a smaller value: a record is written twice",
        "Cleanly, no connection is lost. What is in flight was sent under the old value.",
        {"NoDuplicate": 21},
        **WIDE,
        wide_replicas="01",
        leader_changes=2,
        window_changes=1,
        faults=3,
        goals=AGAIN,
    ),
    kafka(
        "kip-1269-held/lost-connections",
        "K4 read for retries too: safe, but after a lost connection nothing is ever sent again",
        "As many wait for their retries as the default allows in flight, and two are not below two.",
        **{**WIDE, "generation": "kip-1269-held"},
        wide_replicas="01",
        disconnects=2,
        faults=2,
    ),
    kafka(
        "kip-1269/two-topics",
        "Two topics on one connection, one of them with the raised value",
        "K2 read by partition, as the list has it: an answer speaks of its own partition.",
        **TWO_TOPICS,
    ),
    kafka(
        "kip-1269-node/two-topics",
        "K2 read by connection: the value of one topic lets too many of another go out: a record is written twice",
        "The value belongs to a topic; one for each connection is that of whichever topic answered last.",
        {"NoDuplicate": 16},
        **{**TWO_TOPICS, "generation": "kip-1269-node"},
        goals=AGAIN,
    ),
]

SMALLEST = [
    kafka(
        "kip-1269-window/all-together",
        "Smallest change that keeps the window: leader crashes, config changes, restarts, lost connections, in pairs",
        "K1 (keep), K4 (distance), K7 (snapshots of the whole cache) and C5.4 changed. Every record has a result, too.",
        **{**EVERYTHING, "generation": "kip-1269-window"},
    ),
    kafka(
        "kip-1269-window/two-clean-leader-changes",
        "The same, within the default window: C5.4 asks for first(I(p))",
        "Compare kip-1269-safe/two-clean-leader-changes.",
        generation="kip-1269-window",
        **TWICE,
    ),
    kafka(
        "kip-1269-older/all-together",
        "Smallest change of the broker alone: an older batch is told a duplicate by its age",
        "B4.4 changed: what is behind the last sequence and not remembered was appended: sequences have no gap. "
        "It is acknowledged without an offset. Nothing else of the proposal is changed.",
        **{**EVERYTHING, "generation": "kip-1269-older"},
    ),
    kafka(
        "kip-1269-older/clients-of-today",
        "The same brokers, clients of today: one batch remembered, three in flight",
        "B4.4 changed. The window does not bound what may be in flight any more.",
        generation="current",
        broker_generation="kip-1269-older",
        window=1,
        batches=4,
        max_in_flight=3,
        leader_changes=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "kip-1269-all-older/cold-start-refused",
        "The same without the sequence where it began: a record that was never written is acknowledged",
        "A broker that knows nothing of a producer takes any first sequence (B4.1), so what is older may be missing; "
        "compare current/cold-start-refused, which has the gap, and an error.",
        {"NoGap": 6, "AckedIsPersisted": 9},
        generation="kip-1269-all-older",
        warm=0,
        refusals=1,
    ),
    kafka(
        "kip-1269-older-first/two-clean-leader-changes",
        "B4.4 and C5.4 changed: the defect that does not depend on the window is gone, too",
        "Compare kip-1269-safe/two-clean-leader-changes.",
        generation="kip-1269-older-first",
        **TWICE,
    ),
]

SCENARIOS = [*READINGS, *SMALLEST]
