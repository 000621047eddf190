"""Rare behaviours of the idempotent producer as words and numbers: what they are written in."""

from __future__ import annotations

from typing import Any, ClassVar

from ..rare import Rare as Written
from ..rare import Words


class Rare(Written):
    """A rare behaviour of the idempotent producer."""

    words: ClassVar[Words] = {
        "send": ("send", ("batch",)),
        "again": ("send_again", ("batch",)),
        "handle": ("handle", ("broker", "batch")),
        "refuse": ("refuse", ("broker", "batch")),
        "reject": ("reject", ("broker", "batch")),
        "late": ("answer_late", ("broker", "batch")),
        "large": ("find_too_large", ("broker", "batch")),
        "read": ("read_answer", ("broker", "batch")),
        "lose": ("disconnect", ("broker",)),
        "passes": ("delivery_timeout", ("batch",)),
        "sweep": ("expire_batches", ("sweep",)),
        "loop": ("start_loop", ("loop",)),
        "learn": ("learn_leader", ("broker",)),
        "change": ("change_leader", ("broker",)),
        "shrink": ("shrink_isr", ("broker",)),
        "unclean": ("elect_uncleanly", ("broker",)),
        "restart": ("restart_cleanly", ("broker",)),
        "crash": ("restart_after_crash", ("broker",)),
        "roll": ("roll", ("broker", "partition")),
        "delete": ("delete_records", ("partition",)),
        "foreign": ("append_foreign", ("partition",)),
        "survivor": ("handle_survivor", ("broker", "batch")),
        "rejoin": ("rejoin", ("broker",)),
        "expire": ("expire_producers", ("broker", "partition")),
        "session": ("restart_producer", ("session",)),
        "id": ("init_producer_id", ("session",)),
    }


def environment(**constants: Any) -> dict[str, Any]:
    """One replica, nothing written before, and as many faults as there are of all kinds."""
    sizes = (
        "batches",
        "warm",
        "partitions",
        "replicas",
        "max_in_flight",
        "modulus",
        "epochs",
        "pids",
        "retries",
        "min_insync",
        "survivors",
    )
    faults = sum(value for name, value in constants.items() if name not in (*sizes, "epoch_exhausts"))
    return {"warm": 0, "replicas": 1, "batches": 3, "max_in_flight": 5, "epochs": 3, "faults": faults, **constants}


WRAP = {"warm": 12, "modulus": 13}
"""The first batch has the last sequence before the wrap."""
