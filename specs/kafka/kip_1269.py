"""KIP-1269 as proposed: windows that the client discovers, and the smallest changes under which they are safe."""

from __future__ import annotations

from typing import Any

from .common import kafka

WIDE: dict[str, Any] = {"generation": "kip-1269", "window": 2, "wide_window": 3, "max_in_flight": 3, "batches": 4}
KEEP: dict[str, Any] = {**WIDE, "generation": "kip-1269-keep"}
SAFE: dict[str, Any] = {**WIDE, "generation": "kip-1269-safe"}

PROPOSED = [
    kafka(
        "kip-1269/discovery",
        "The client discovers the wider window of every broker",
        "Until the first answer the limit is the default (K3); afterwards in-flight(p) may grow to the value (K4).",
        **WIDE,
        wide_replicas="01",
        disconnects=2,
        faults=2,
    ),
    kafka(
        "kip-1269/six-in-flight",
        "Six in flight, six remembered everywhere: lost connections are harmless",
        "The KIP's case with its real numbers: default 5, raised to 6.",
        generation="kip-1269",
        wide_window=6,
        wide_replicas="01",
        max_in_flight=6,
        batches=7,
        disconnects=2,
        faults=2,
    ),
    kafka(
        "kip-1269/old-brokers",
        "A new client and brokers without the feature",
        "The field is absent, the limit stays at the default although max.in.flight is higher (K2).",
        **WIDE,
        disconnects=2,
        faults=2,
    ),
    kafka(
        "kip-1269/leader-change-equal",
        "The leader changes, both replicas remember as many",
        "K5 resets the limit; what is already in flight is within the window of the new leader.",
        **WIDE,
        wide_replicas="01",
        leader_changes=1,
    ),
    kafka(
        "kip-1269/leader-crash-equal",
        "The leader crashes, both replicas remember as many",
        "All answers are lost; the new leader has cached the same batches.",
        **WIDE,
        wide_replicas="01",
        leader_crashes=1,
    ),
    kafka(
        "kip-1269/leader-change-narrower",
        "The leader crashes, the new leader remembers fewer than were in flight: a record is written twice",
        "The client resets its limit (K5), but the batches in flight were appended under the wider one. Old "
        "and new broker  "
        "in one cluster, or a topic config that one replica has not seen yet.",
        {"NoDuplicate": 17},
        **WIDE,
        wide_replicas="0",
        leader_crashes=1,
        goals="bump, out of order",
    ),
    kafka(
        "kip-1269/leader-change-wider",
        "The leader crashes, the new leader remembers more",
        "The client starts again at the default and discovers the wider window.",
        **WIDE,
        wide_replicas="1",
        leader_crashes=1,
    ),
    kafka(
        "kip-1269/config-lowered-in-flight",
        "The topic config is lowered while more batches are in flight: a record is written twice",
        "The leader cuts its memory at once (K1 does not say), the answers are lost, the oldest retry is not "
        "recognised.",
        {"NoDuplicate": 17},
        **WIDE,
        wide_replicas="01",
        window_changes=1,
        disconnects=1,
        faults=2,
        goals="bump, out of order",
    ),
    kafka(
        "kip-1269/config-lowered-idle",
        "The topic config is lowered while nothing is in flight: a record is written twice",
        "The client learns the smaller value from the next answer only (K3); until then it sends under the wider one.",
        {"NoDuplicate": 17},
        **WIDE,
        wide_replicas="01",
        window_changes=1,
        idle_changes=True,
        disconnects=1,
        faults=2,
        goals="bump, out of order",
    ),
    kafka(
        "kip-1269/old-and-new-leader",
        "Two connections: a limit per partition that counts waiting retries closes the hole of the current generation",
        "With K4 read as I(p) a batch that waits for its retry holds back new ones on the other connection; compare "
        "current/old-and-new-leader-scaled.",
        generation="kip-1269",
        window=2,
        batches=3,
        leader_changes=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "kip-1269-wire/old-and-new-leader",
        "Old and new leader with K4 read as what is on the connection: a record is written twice",
        "Counted per connection the limit adds nothing to the one that is there already.",
        {"NoDuplicate": 16},
        generation="kip-1269-wire",
        window=2,
        batches=3,
        leader_changes=1,
        disconnects=1,
        faults=2,
        goals="bump, out of order",
    ),
    kafka(
        "kip-1269/config-raised",
        "The topic config is raised on the leader",
        "The answers tell the client; what it sends under the new limit is remembered.",
        **WIDE,
        replicas=1,
        window_changes=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "kip-1269/restart",
        "A clean restart leaves one remembered batch, however wide the window is",
        "K7: the snapshot is not mentioned and holds the last batch only (D5). The wider window makes it no safer.",
        {"NoDuplicate": 11},
        **WIDE,
        replicas=1,
        wide_replicas="0",
        clean_restarts=1,
        goals="bump, out of order",
    ),
    kafka(
        "kip-1269-min/leader-change-narrower",
        "Variant: the leader tells the smallest value of the in-sync set; a narrower new leader is harmless",
        "K2 changed only. Nobody sends more than every replica that may lead is going to recognise.",
        **{**WIDE, "generation": "kip-1269-min"},
        wide_replicas="0",
        leader_crashes=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "kip-1269-min/config-lowered-in-flight",
        "Variant: the smallest value of the in-sync set does not help when the value itself is lowered",
        "What is in flight was sent under the old value; K2 alone cannot take it back.",
        {"NoDuplicate": 17},
        **{**WIDE, "generation": "kip-1269-min"},
        wide_replicas="01",
        window_changes=1,
        disconnects=1,
        faults=2,
        goals="bump, out of order",
    ),
]

KEPT_CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("leader-change-narrower", "a leader change is harmless", {"wide_replicas": "0", "leader_crashes": 1}),
    (
        "config-lowered-in-flight",
        "lowering the config is harmless",
        {"wide_replicas": "01", "window_changes": 1, "disconnects": 1, "faults": 2},
    ),
    (
        "config-lowered-idle",
        "lowering the config is harmless",
        {"wide_replicas": "01", "window_changes": 1, "disconnects": 1, "idle_changes": True, "faults": 2},
    ),
]

KEPT = [
    kafka(
        f"kip-1269-keep/{name}",
        f"Variant: no replica forgets what any replica may have promised: {title}",
        "K1 changed only: the value in force limits what the client is told, never what is remembered. The "
        "faults are  "
        f"those of kip-1269/{name}.",
        **KEEP,
        **constants,
    )
    for name, title, constants in KEPT_CASES
]

RESTARTED = [
    kafka(
        "kip-1269-keep/restart",
        "Variant: a longer memory does not survive a clean restart",
        "The snapshot still holds the last batch only (D5, K7).",
        {"NoDuplicate": 11},
        **KEEP,
        replicas=1,
        wide_replicas="0",
        clean_restarts=1,
        goals="bump, out of order",
    ),
    kafka(
        "kip-1269-safe/restart",
        "Variant: snapshots hold every remembered batch: a clean restart is harmless",
        "K1 and K7 changed.",
        **SAFE,
        replicas=1,
        wide_replicas="0",
        clean_restarts=2,
        faults=2,
    ),
    kafka(
        "kip-1269-safe/all-together",
        "Variant: leader crashes, config changes, clean restarts and lost connections, two of them in a behaviour",
        "K1 and K7 changed: every scenario of the proposal above at once, and their pairs.",
        **SAFE,
        wide_replicas="01",
        leader_crashes=2,
        leader_changes=2,
        window_changes=2,
        clean_restarts=2,
        disconnects=2,
        faults=2,
    ),
    kafka(
        "kip-1269-safe/two-clean-leader-changes",
        "Variant: a defect of the current generation that needs three in flight only is still there",
        "See current/two-clean-leader-changes: it does not depend on the window. The default of 5 admits it.",
        {"NoDuplicate": 16},
        generation="kip-1269-safe",
        batches=3,
        max_in_flight=3,
        leader_changes=2,
        faults=2,
        goals="bump, out of order",
    ),
    kafka(
        "current-snapshot/clean-restart",
        "Variant of the current generation: snapshots hold every remembered batch: a clean restart is harmless",
        "D5 changed only; compare current/clean-restart.",
        generation="current-snapshot",
        replicas=1,
        batches=6,
        max_in_flight=5,
        clean_restarts=2,
        faults=2,
    ),
]

SCENARIOS = [*PROPOSED, *KEPT, *RESTARTED]
