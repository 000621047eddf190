"""Eligible leader replicas (KIP-966): who leads after power cuts, by release and setting."""

from __future__ import annotations

from ...checker.language.scenario import Scenario

ELIGIBLE = "everystate.model.eligible:EligibleReplicas"


def electing(name: str, title: str, text: str, expected: dict[str, int] | None = None, **constants: int) -> Scenario:
    """A scenario of one partition; what the controller does is the part of the name before the slash."""
    generation = name.split("/")[0].removeprefix("elr-")
    return Scenario(name, ELIGIBLE, title, {"generation": generation, **constants}, expected or {}, text)


SCENARIOS = [
    electing(
        "elr-without/last-replica",
        "Without KIP-966: the last replica in sync loses the end of its log, and leads again",
        "The in-sync set keeps its last member (D3). The others have what is lost, and cut it (D17).",
        {"AckedIsKept": 8},
    ),
    electing(
        "elr-4.1/last-replica",
        "The same with eligible leader replicas: one of the others leads, and nothing is lost",
        "Who leaves while too few are in sync stays eligible (D18). The one that crashed does not (D19).",
    ),
    electing(
        "elr-4.1/two-power-cuts",
        "As many power cuts as min.insync.replicas: the last known leader leads, and a record is lost",
        "Neither set has a member. The last known leader is elected although unclean elections are off (D20).",
        {"AckedIsKept": 9},
        stops=1,
        power_cuts=2,
    ),
    electing(
        "elr-4.0/two-power-cuts",
        "The same in 4.0: the last known leader is elected while it is fenced (KAFKA-19522)",
        "Until it returns the partition has a leader that is down, also with unclean.leader.election.enable=true.",
        {"LeaderIsAlive": 5, "AckedIsKept": 9},
        stops=1,
        power_cuts=2,
    ),
]
