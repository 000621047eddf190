"""A consumer group that works exactly once: whether a member that has lost its partition can still commit."""

from __future__ import annotations

from typing import Any

from ...checker.language.scenario import Scenario

GROUP = "everystate.model.transactions:Group"
SHARED = "everystate.model.transactions.shared:SharedGroup"

ONE_REBALANCE: dict[str, Any] = {"evictions": 0, "rebalances": 1}
"""Nobody is late; the partition is to go to another member, once."""


def group(name: str, title: str, text: str, expected: dict[str, int] | None = None, **constants: Any) -> Scenario:
    """A scenario of a group; what fences is the part of the name before the slash."""
    generation = name.split("/")[0].removeprefix("txn-group-")
    return Scenario(name, GROUP, title, {"generation": generation, **constants}, expected or {}, text)


def shared(name: str, title: str, text: str, expected: dict[str, int] | None = None, **constants: Any) -> Scenario:
    """A scenario of a group that shares two partitions."""
    generation = name.split("/")[0].removeprefix("txn-shared-")
    return Scenario(name, SHARED, title, {"generation": generation, **constants}, expected or {}, text)


SCENARIOS = [
    group(
        "txn-group-2.4/zombie",
        "A member loses its partition while it works on a record, and commits all the same, before KIP-447",
        "Each member has a transactional id of its own, so no epoch fences it; nobody asks its generation (T10.9).",
        {"NoDuplicate": 13},
    ),
    group(
        "txn-group-2.4-id-of-partition/zombie",
        "The same with a transactional id for each partition, as it was meant until 2.4: the next producer fences",
        "T2.5 aborts what the zombie has begun, before its successor reads the offset. KIP-447 does away with a "
        "producer for each partition.",
    ),
    group(
        "txn-group-2.5-without-metadata/zombie",
        "The same when sendOffsetsToTransaction is called with the name of the group only: nothing is compared",
        "T10.5: who says nothing of member and generation is not fenced, whatever the broker is.",
        {"NoDuplicate": 13},
    ),
    group(
        "txn-group-2.5-unstable/zombie",
        "KIP-447 without its second half: the successor reads the offset while the zombie's is pending",
        "The zombie sent its offset in time; without T10.4 the successor begins at the one before.",
        {"NoDuplicate": 13},
    ),
    group(
        "txn-group-2.5/zombie",
        "KIP-447: the zombie is fenced by its group",
        "Either its offset is refused (T10.5), or its successor waits until it is decided (T10.4).",
    ),
    group(
        "txn-group-2.5/stop",
        "The same with two records, and a member that stops: every record is processed, once",
        "Whoever stops leaves a pending offset, which the timeout of its transaction decides (T5.2, T10.4).",
        records=2,
        stops=1,
    ),
    group(
        "txn-group-4.0/zombie",
        "The consumer protocol (KIP-848): a zombie that has joined again in the background is not fenced",
        "Its metadata are renewed while it still works on a record of the partition that it has lost (T10.8), and "
        "whose partition it is nobody compares (T10.5).",
        {"NoDuplicate": 14},
    ),
    group(
        "txn-group-4.0/rebalance",
        "The same without any fault: a member gives its partition up in the background, and commits all the same",
        "T10.11: nobody asks the application, which still works on a record of the partition; its metadata are "
        "renewed as well (T10.8).",
        {"NoDuplicate": 13},
        **ONE_REBALANCE,
    ),
    group(
        "txn-group-4.3/zombie",
        "Since KAFKA-20332 a partition is given up in poll only; who has lost one is still not fenced",
        "T10.8 and T10.5 as before.",
        {"NoDuplicate": 14},
    ),
    group(
        "txn-group-4.3/rebalance",
        "Since KAFKA-20332 a partition is given up in poll only: a rebalance is safe",
        "T10.11.",
        **ONE_REBALANCE,
    ),
    group(
        "txn-group-2.5/rebalance",
        "The classic protocol: a partition is given up in poll only",
        "T10.7.",
        **ONE_REBALANCE,
    ),
    group(
        "txn-group-metadata-of-the-poll/zombie",
        "The consumer protocol, and an application that asks for groupMetadata() when it polls",
        "What it then sends with its offset is as old as its record, and is refused (T10.5).",
    ),
    group(
        "txn-group-metadata-of-the-poll/rebalance",
        "The same when a partition is given up in the background",
        "T10.11, T10.5.",
        **ONE_REBALANCE,
    ),
    group(
        "txn-group-by-assignment/zombie",
        "The same if the group coordinator asked whose partition it is, also where the epochs are equal",
        "No Kafka does; it has what that takes since KIP-1251 (T10.5).",
    ),
    group(
        "txn-group-by-assignment/rebalance",
        "The same when a partition is given up in the background",
        "What the group coordinator asks is enough for clients that give up in the background, too (T10.11).",
        **ONE_REBALANCE,
    ),
    shared(
        "txn-shared-4.0/rebalance",
        "Two partitions in one transaction: one of them is given up in the background, and both are committed",
        "As with one partition (txn-group-4.0/rebalance): the epoch is compared, not whose partition it is (T10.5).",
        {"NoDuplicate": 7},
    ),
    shared(
        "txn-shared-4.3/zombie",
        "Two partitions, and a zombie that has joined again: as with one, it is not fenced",
        "Brokers from 4.3 on compare the partitions only if the epoch is older than the member's (T10.5).",
        {"NoDuplicate": 8},
        rebalances=0,
        evictions=1,
    ),
    shared(
        "txn-shared-4.2-metadata-of-the-poll/rebalance",
        "Brokers until 4.2, metadata of the poll: a member that gets a partition must abort what it does in another",
        "Its epoch has changed, although the partition of its transaction has been its own all the time (T10.5).",
        {"NoNeedlessRefusal": 4},
        rebalances=2,
    ),
    shared(
        "txn-shared-4.3-metadata-of-the-poll/rebalance-and-zombie",
        "The same with brokers from 4.3 on (KIP-1251): nothing is refused needlessly, and nothing written twice",
        "An older epoch is enough for a partition that the member has had since (T10.5).",
        evictions=1,
    ),
    shared(
        "txn-shared-4.0-with-4.3-metadata-of-the-poll/rebalance-and-zombie",
        "The same with clients that give up a partition in the background",
        "One partition of two that is another member's fails the request (T10.5, T10.11).",
        evictions=1,
    ),
]
