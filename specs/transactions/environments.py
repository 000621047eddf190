"""Test environments for random walks of transactions beside Kafka: producers that follow each other, and all faults."""

from __future__ import annotations

from typing import Any

OF_PRODUCERS = ("aborts", "deadlines", "disconnects", "late_ends", "takeovers")
OF_BROKERS = ("late_markers", "timeouts", "failovers")
BUSY: dict[str, Any] = {
    "sessions": 2,
    "epochs": 6,
    "pids": 4,
    "transactions": 4,
    "faults": 8,
    **dict.fromkeys((*OF_PRODUCERS, *OF_BROKERS), 3),
}

ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "new": BUSY,
    "near-the-highest-epoch": {**BUSY, "start_epoch": 3},
    "at-the-highest-epoch": {**BUSY, "start_epoch": 4},
    "hasty": {**BUSY, "hasty": True, "epochs": 14},
    "three-producers": {**BUSY, "sessions": 3, "transactions": 5, "epochs": 14},
    "markers-left-behind": {**BUSY, "left_behind": True},
    "leader-changes": {**BUSY, "elections": 3, "refusals": 2, "invalid_records": 2},
    "unclean-elections": {**BUSY, "unclean_elections": 3, "elections": 2},
    "shorter-logs-of-coordinators": {**BUSY, "shorter_logs": 3, "pids": 7},
    "late-joins": {**BUSY, "late_joins": 3, "lost_answers": 3},
}
"""By name, the constants of the model of transactions; its generation is that of the release."""
OF_OLDER_CLIENTS: dict[str, dict[str, Any]] = {
    f"{generation}/{environment}": {**ENVIRONMENTS[environment], "generation": generation}
    for generation in ("4.3-without-tv2", "4.3-old-clients", "4.3-unverified")
    for environment in ("new", "at-the-highest-epoch")
}
"""The same of what brokers of the newest releases are, too: for golden transcripts, beside the coordinator."""
