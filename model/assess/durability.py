"""What the rules of replication say, where the model has no disks: copies that a failure takes, and who takes writes.

With acks=all a record is acknowledged when every replica in sync has it: all of them if nothing failed before, and
min.insync.replicas of them for certain. A failure that takes all copies at once loses the record. Brokers take writes
with acks=all while min.insync.replicas of them are in sync, else while there is a leader. Since 3.7 a
min.insync.replicas above the replication factor counts as the replication factor.
"""

from __future__ import annotations

from .settings import Settings

POWER, DISK, TWO, APART, LAST = "power-cut", "lost-disk", "two-brokers", "partitioned-broker", "last-replica"
COPIES = {POWER: 1, DISK: 1, TWO: 2}
"""How many replicas a failure takes the records of."""
DOWN = {POWER: 1, DISK: 1, TWO: 2, APART: 1, "clean-restart": 1, "rolling-restart": 1, "leader-crash": 1}
"""How many brokers are away for a while."""
LOSS, WRITES = "no-loss", "takes-writes"
STATE_FACTOR, STATE_NEEDED = "transaction.state.log.replication.factor", "transaction.state.log.min.isr"
"""The settings of brokers for __transaction_state, the log of the coordinators of transactions."""
KEPT, BROKEN = "kept", "broken"
ELIGIBLE = (
    "under last-replica by eligible leader replicas (KIP-966): a cluster that was made before 4.1 needs "
    "eligible.leader.replicas.version=1"
)
RETURNS = (
    "the last replica in sync comes back without its records and leads, as it alone was in sync, and the others drop "
    "them; brokers from 4.1 on elect another one that has all (KIP-966)"
)
"""Seen on 4.4.0 without and with that feature: bench/last_replica.py."""
Verdict = tuple[str, str]


def copies(settings: Settings) -> int:
    """How many replicas have a record for certain when it is acknowledged."""
    if settings["acks"] == "all":
        return min(int(settings["min.insync.replicas"]), int(settings["replication.factor"]))
    return int(settings["acks"])


def in_sync(settings: Settings) -> int:
    """How many replicas have a record when it is acknowledged, if no replica fell behind before."""
    return int(settings["replication.factor"]) if settings["acks"] == "all" else int(settings["acks"])


def loses_decisions(settings: Settings, failure: str) -> bool:
    """Whether a failure may take every copy of what the coordinator of transactions has answered."""
    factor, needed = settings[STATE_FACTOR], settings[STATE_NEEDED]
    if failure == LAST:
        return bool(min(factor, needed) == 1 or settings.server < (4, 1, 0))
    taken = COPIES.get(failure, 0)
    return bool(taken and (factor if taken == 1 else min(factor, needed)) <= taken)


def refuses_all(settings: Settings) -> bool:
    """Whether brokers refuse every write: min.insync.replicas above the replication factor, before 3.7."""
    above = settings["min.insync.replicas"] > settings["replication.factor"]
    return bool(above and settings["acks"] == "all" and settings.server < (3, 7, 0))


def verdict(settings: Settings, parts: list[str], promise: str) -> Verdict | None:
    """Whether a promise is kept under some failures together, and why; None where the model decides."""
    if promise == WRITES:
        return _writes(settings, parts)
    if promise != LOSS:
        return None
    found = [each for part in parts if (each := _loss(settings, part)) is not None]
    taken = sum(COPIES.get(part, 0) for part in parts)
    there = in_sync(settings) if taken == 1 else copies(settings)
    if taken and there <= taken and not _flushed(settings, parts):
        return BROKEN, _taken(settings, taken)
    broken = [each for each in found if each[0] == BROKEN]
    if broken:
        return broken[0]
    return (KEPT, next((why for _, why in found if why), "")) if len(found) == len(parts) else None


def _loss(settings: Settings, part: str) -> Verdict | None:
    several = settings["replication.factor"] > 1
    if part in COPIES:
        return KEPT, ""
    if part == APART and several:
        if settings["acks"] != "all":
            return BROKEN, f"the old leader acknowledges records (acks={settings['acks']}) that the new one never gets"
        if copies(settings) == 1 and settings["unclean.leader.election.enable"]:
            return BROKEN, "a leader that is alone in sync is cut off, and a replica without its records is elected"
        return KEPT, ""
    if part == LAST:
        if copies(settings) <= 1:
            return BROKEN, "a record may be acknowledged by one replica, which is lost"
        if settings["unclean.leader.election.enable"]:
            return BROKEN, "a replica without the last records may be elected"
        return (KEPT, ELIGIBLE) if settings.server >= (4, 1, 0) else (BROKEN, RETURNS)
    return None


def _flushed(settings: Settings, parts: list[str]) -> bool:
    """Whether each record is on the disk before it is acknowledged, and only the power is lost."""
    return settings["flush.messages"] == 1 and settings["acks"] != "0" and set(parts) & set(COPIES) == {POWER}


def _taken(settings: Settings, taken: int) -> str:
    known = copies(settings)
    if known == 0:
        return "acks=0: a record is reported written before a broker has it"
    word = "one replica has" if known == 1 else f"{known} replicas have"
    if settings["replication.factor"] == 1:
        return "the only replica has the record"
    return f"{word} the record for certain when it is acknowledged, and {taken} of them may be lost"


def _writes(settings: Settings, parts: list[str]) -> Verdict:
    factor, needed = settings["replication.factor"], max(1, copies(settings))
    if refuses_all(settings):
        return BROKEN, "min.insync.replicas is above the replication factor: brokers before 3.7 refuse every write"
    if LAST in parts:
        return BROKEN, "the partition has no leader until that replica returns, or another one is elected uncleanly"
    return _in_sync(parts, factor, needed) or _of_coordinator(settings, parts) or (KEPT, "")


def _of_coordinator(settings: Settings, parts: list[str]) -> Verdict | None:
    """Whether transactions can neither begin nor end, as __transaction_state takes no writes."""
    if not settings.transactional:
        return None
    return _in_sync(parts, settings[STATE_FACTOR], settings[STATE_NEEDED], " of __transaction_state")


def _in_sync(parts: list[str], factor: int, needed: int, of: str = "") -> Verdict | None:
    """A log with so many replicas takes no writes while brokers are away."""
    down = sum(DOWN.get(part, 0) for part in parts)
    if not down or factor - down >= needed:
        return None
    left = f"{max(0, factor - down)} of {factor} replicas{of} {'is' if factor - down == 1 else 'are'} left"
    return BROKEN, f"{left}, and {needed} {'has' if needed == 1 else 'have'} to be in sync"
