"""Behaviours of transactions that walks hardly meet, to be held against real Kafka; golden transcripts have them all.

Each tells a mistake in the model apart that walks let through: a line of it, changed alone.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

from everystate.model.conformance.behaviour import NamedStep
from everystate.model.conformance.transactions.stray_requests import StrayRequests

PRODUCERS, COORDINATOR = "producers", "coordinator"
"""What a behaviour is driven beside."""


@dataclass(frozen=True)
class Rare:
    """What is told apart, by which rule, beside which part of Kafka: the constants of the model, and steps by name.

    `kafka` is the release, the newest one unless the rule is that of an older one.
    """

    name: str
    rule: str
    beside: str
    constants: dict[str, Any]
    steps: str
    kafka: str = ""

    @property
    def turns(self) -> tuple[NamedStep, ...]:
        """The steps as turns."""
        return tuple(turn(each) for each in self.steps.split(";"))


def turn(text: str) -> NamedStep:
    """One step: the name of an action, and its arguments in their order; `nothing` need not be said."""
    action, *numbers = text.split()
    names = [name for name in inspect.signature(getattr(StrayRequests, action)).parameters if name != "self"]
    given = [int(number) for number in numbers] or [0] * (names == ["nothing"])
    return NamedStep(action, tuple(zip(names, given, strict=True)))


def environment(**constants: Any) -> dict[str, Any]:
    """One partition, one producer, and as many faults as there are of all kinds."""
    kinds = (
        "aborts",
        "deadlines",
        "disconnects",
        "late_starts",
        "lost_joins",
        "late_ends",
        "late_markers",
        "timeouts",
        "failovers",
        "expiries",
        "takeovers",
    )
    usual = {"partitions": 1, "pids": 3, "faults": sum(constants.get(kind, 0) for kind in kinds)}
    return {**usual, **constants}


BEGUN = "initialize 0; begin 0; send 0 0; receive 0 0; hear 0 0; proceed 0 0"
COMMITTED = f"{BEGUN}; commit 0; end_transaction 0; write_marker 0; complete"
AGAIN = "begin 0; send 0 0; receive 0 0; hear 0 0; proceed 0 0; commit 0; end_transaction 0; write_marker 0; complete"
ADDED = "begin 0; add_partition 0 0; send 0 0"
WITHOUT_TV2 = f"initialize 0; {ADDED}; receive 0 0; hear 0 0; proceed 0 0"
EXPIRED = f"initialize 0; {ADDED}; deadline 0 0; abort_failed 0; end_transaction 0; write_marker 0; complete"
ENDED = "commit 0; end_transaction 0; write_marker 0; complete"
NEAR = {"epochs": 3, "start_epoch": 1}
"""The first producer gets an exhausted epoch: 2 stands for 32766."""
OLDER = {"generation": "4.3-without-tv2"}
OLD_CLIENTS = {"generation": "4.3-old-clients"}
UNVERIFIED = {"generation": "4.3-unverified"}
PART_1 = {"generation": "part-1"}
"""Clients without TV2: in a cluster without it, one that has it, one that does not verify, with brokers of 3.6."""
BY_3_9_2, BY_4_0_2 = {"generation": "3.9.2"}, {"generation": "4.0.2"}
TAKEN_OVER = "take_over 1; initialize_over 1; write_marker 0; complete; initialize 1"
"""A further producer aborts the transaction of the one before; near the highest epoch it gets another producer id."""
JOINED = "initialize 0; stray_join 0 0 0; stray_record 0 0 0 0; receive 0 1; hear 0 1; proceed 0 1"
STRAY = "stray_record 0 0 0 0; receive 0 1"
"""A transaction of a client that is none of the model's, and a batch of its epoch."""

OF_BROKERS = (
    Rare(
        "a retry that names the id before is answered, and that id is forgotten",
        "T1.2, T2.3, T2.7",
        COORDINATOR,
        environment(**NEAR),
        f"{COMMITTED}; stray_renew 0 2",
    ),
    Rare(
        "a request with the id before and the highest epoch is no retry",
        "T4.5",
        COORDINATOR,
        environment(**NEAR),
        f"{COMMITTED}; stray_end 0 3 1; stray_end 0 2 1",
    ),
    Rare(
        "an abort of nothing notes the id",
        "T1.2",
        COORDINATOR,
        environment(**NEAR),
        f"{COMMITTED}; stray_end 1 0 0",
    ),
    Rare(
        "a transaction of the highest epoch cannot be committed, and is aborted",
        "T5.5, T5.9",
        COORDINATOR,
        environment(epochs=3, start_epoch=3),
        "stray_record 0 0 3 0; receive 0 1; hear 0 1; proceed 0 1; stray_end 0 3 1; stray_end 0 3 0; write_marker 0;"
        "complete",
    ),
    Rare(
        "a transaction of the highest epoch times out",
        "T5.9",
        COORDINATOR,
        environment(epochs=3, start_epoch=3, timeouts=1),
        "stray_record 0 0 3 0; receive 0 1; hear 0 1; proceed 0 1; time_out; write_marker 0; complete",
    ),
    Rare(
        "a batch before the last one is a duplicate",
        "B2, T7.1",
        COORDINATOR,
        environment(),
        f"{BEGUN}; stray_record 0 0 0 1; receive 0 1; stray_record 0 0 0 0; receive 0 1",
    ),
    Rare(
        "a sequence of the epoch before is no duplicate, and none goes on from it",
        "B2, B4.3",
        COORDINATOR,
        environment(**OLDER),
        f"{WITHOUT_TV2}; {ENDED}; stray_renew 0 0; stray_join 0 1 0; stray_record 0 0 1 0; receive 0 1; hear 0 1;"
        "proceed 0 1",
    ),
    Rare(
        "a marker of a lower epoch takes the guard",
        "T7.10, T7.11, T7.14",
        COORDINATOR,
        environment(start_epoch=0),
        "initialize 0; begin 0; send 0 0; receive 0 0; hear 0 0; stray_marker 0 0 0 0 0 1; proceed 0 0",
    ),
    Rare(
        "a duplicate needs no guard",
        "T7.11",
        COORDINATOR,
        environment(**OLDER),
        f"{WITHOUT_TV2}; {ENDED}; stray_join 0 0 0; stray_record 0 0 0 0; receive 0 1; hear 0 1;"
        "stray_marker 0 0 0 0 0 0; proceed 0 1",
    ),
    Rare(
        "a marker has the epoch of the coordinator that sent it",
        "T6.1, T6.2",
        COORDINATOR,
        environment(failovers=1, late_markers=1),
        f"{BEGUN}; commit 0; end_transaction 0; fail_over; delay_marker 0; write_marker 0; complete; mark_late 0",
    ),
    Rare(
        "a verification meets an end, and the client is to try again",
        "T7.12",
        COORDINATOR,
        environment(**OLDER),
        f"initialize 0; {ADDED}; receive 0 0; stray_end 0 0 1; hear 0 0",
    ),
    Rare(
        "with TV2 a leader asks again while a transaction ends",
        "T7.13",
        COORDINATOR,
        environment(),
        "initialize 0; begin 0; send 0 0; receive 0 0; stray_join 0 0 0; stray_end 0 0 1; write_marker 0; complete;"
        "hear 0 0",
    ),
    Rare(
        "behind a refused marker nothing completes",
        "T6.3",
        COORDINATOR,
        environment(failovers=1),
        f"{BEGUN}; commit 0; end_transaction 0; stray_marker 0 0 4 0 0 1; write_marker 0; fail_over",
    ),
    Rare(
        "without TV2 nothing but pair and state says what an end is",
        "T4.1, T4.3",
        COORDINATOR,
        environment(**OLDER),
        "initialize 0; stray_end 0 0 1; stray_end 0 0 0; stray_join 0 0 0; stray_end 1 1 1; stray_end 0 1 1;"
        "stray_end 0 0 1; stray_end 0 0 1; write_marker 0; complete; stray_end 0 0 1; stray_end 0 0 0",
    ),
    Rare(
        "without TV2 a fence forgets the last epoch",
        "T5.1, T5.11",
        COORDINATOR,
        environment(**OLDER, timeouts=1),
        "initialize 0; stray_renew 0 0; stray_join 0 1 0; time_out; write_marker 0; complete; stray_renew 0 1",
    ),
    Rare(
        "without TV2 a fence at the highest epoch adds nothing",
        "T5.9",
        COORDINATOR,
        environment(**OLDER, epochs=3, start_epoch=3, timeouts=1),
        "stray_join 0 3 0; time_out; write_marker 0; complete",
    ),
    Rare(
        "an end is of the client's version, a fence of the cluster's",
        "T6.1, T7.3, T7.4",
        COORDINATOR,
        environment(**OLD_CLIENTS, timeouts=1),
        f"{WITHOUT_TV2}; {ENDED}; stray_join 0 0 0; stray_record 0 0 0 1; receive 0 1; hear 0 1; proceed 0 1; time_out;"
        "write_marker 0; complete",
    ),
    Rare(
        "a marker of the coordinator before is known as one",
        "T1.9, T7.5",
        COORDINATOR,
        environment(**OLDER, failovers=1, late_markers=1),
        f"{WITHOUT_TV2}; commit 0; end_transaction 0; delay_marker 0; fail_over; write_marker 0; complete;"
        "stray_join 0 0 0; stray_record 0 0 0 1; receive 0 1; hear 0 1; proceed 0 1; mark_late 0",
    ),
    Rare(
        "a guard is there for lower epochs, too",
        "T7.9",
        COORDINATOR,
        environment(),
        "initialize 0; begin 0; stray_record 0 0 1 0; receive 0 1; send 0 0; receive 0 0; hear 0 0; proceed 0 0",
    ),
    Rare(
        "without TV2, too, a transaction is open for its epoch only",
        "T7.9",
        COORDINATOR,
        environment(**OLDER),
        f"{WITHOUT_TV2}; stray_record 0 0 1 0; receive 0 1",
    ),
    Rare(
        "an epoch that a timeout has ended is told first to older clients as well",
        "T7.11, T7.15",
        COORDINATOR,
        environment(**OLDER, timeouts=1),
        f"initialize 0; {ADDED}; receive 0 0; hear 0 0; time_out; write_marker 0; proceed 0 0",
    ),
    Rare(
        "a fence of the cluster's takes a next producer id along",
        "T5.6",
        COORDINATOR,
        environment(**NEAR, **OLD_CLIENTS, timeouts=1),
        f"{WITHOUT_TV2}; time_out; write_marker 0; complete",
    ),
    Rare(
        "an old epoch is told before a sequence out of order",
        "T7.2, T7.8",
        COORDINATOR,
        environment(**UNVERIFIED),
        "initialize 0; stray_record 0 0 1 0; receive 0 1; stray_record 0 0 0 1; receive 0 1",
    ),
    Rare(
        "a marker decides nothing of another producer id",
        "T7.6, T7.8, T8.1",
        COORDINATOR,
        environment(**UNVERIFIED),
        "initialize 0; stray_record 0 0 0 0; receive 0 1; stray_record 0 1 0 0; receive 0 1; stray_marker 0 1 0 0 0 0;"
        "stray_marker 0 0 0 1 0 0",
    ),
    Rare(
        "a batch before the first one is no duplicate",
        "B2, T7.16",
        COORDINATOR,
        environment(**UNVERIFIED),
        "initialize 0; stray_record 0 0 0 1; receive 0 1; stray_record 0 0 0 0; receive 0 1",
    ),
    Rare(
        "the id before is known with an exhausted epoch only",
        "T2.7",
        COORDINATOR,
        environment(**NEAR),
        f"{COMMITTED}; stray_renew 0 0",
    ),
    Rare(
        "a batch of an old epoch is no duplicate of one of the newer",
        "B2, B3, T7.8",
        COORDINATOR,
        environment(**UNVERIFIED),
        "initialize 0; stray_record 0 0 1 0; receive 0 1; stray_record 0 0 0 0; receive 0 1",
    ),
    Rare(
        "an open transaction stays the one that it is when a higher epoch follows",
        "T7.1, T7.8, T8.1",
        COORDINATOR,
        environment(**UNVERIFIED),
        "initialize 0; stray_record 0 0 0 0; receive 0 1; stray_record 0 0 1 0; receive 0 1; stray_marker 0 0 1 1 0 0",
    ),
    Rare(
        "a marker of TV2 with the epoch of the last batch is let through where nothing is open",
        "T7.4",
        COORDINATOR,
        environment(**OLD_CLIENTS),
        f"{WITHOUT_TV2}; {ENDED}; stray_marker 0 0 0 0 0 1",
    ),
)
OF_OLDER_BROKERS = (
    Rare(
        "the id is noted when a transaction is complete",
        "T1.2",
        COORDINATOR,
        environment(**NEAR, generation="4.0.2"),
        f"{COMMITTED}; {AGAIN}",
        kafka="4.0.2",
    ),
    Rare(
        "who has the id before with the highest epoch fences the transaction of the new one",
        "T2.7, T2.8",
        COORDINATOR,
        environment(**NEAR, generation="4.0.2"),
        f"{COMMITTED}; stray_join 1 0 0; stray_renew 0 3",
        kafka="4.0.2",
    ),
    Rare(
        "an epoch that a timeout has ended is told before the guard is missed",
        "T7.11, T7.15",
        COORDINATOR,
        environment(generation="4.0.2", timeouts=1),
        "initialize 0; begin 0; send 0 0; receive 0 0; hear 0 0; time_out; write_marker 0; proceed 0 0",
        kafka="4.0.2",
    ),
    Rare(
        "with TV2 a marker leaves the guard of its epoch",
        "T7.14",
        COORDINATOR,
        environment(**BY_4_0_2),
        "initialize 0; begin 0; send 0 0; receive 0 0; hear 0 0; stray_marker 0 0 0 0 0 1; proceed 0 0",
        kafka="4.0.2",
    ),
    Rare(
        "in 4.0 an old epoch is told by the coordinator",
        "T7.12, T7.15",
        COORDINATOR,
        environment(**BY_4_0_2),
        f"{COMMITTED}; {STRAY}; hear 0 1",
        kafka="4.0.2",
    ),
    Rare(
        "until 4.1 a marker of TV2 may have the epoch of the open transaction",
        "T7.3",
        COORDINATOR,
        environment(**BY_4_0_2),
        f"{BEGUN}; stray_marker 0 0 0 1 0 1",
        kafka="4.0.2",
    ),
    Rare(
        "in 4.0, too, a fence takes no next producer id along",
        "T5.7",
        COORDINATOR,
        environment(**NEAR, **BY_4_0_2, timeouts=1),
        f"{BEGUN}; time_out; write_marker 0; complete",
        kafka="4.0.2",
    ),
    Rare(
        "in 4.0, too, a producer may begin anywhere",
        "T7.16",
        COORDINATOR,
        environment(**BY_4_0_2),
        "initialize 0; stray_record 0 0 0 1; receive 0 1; hear 0 1; proceed 0 1",
        kafka="4.0.2",
    ),
    Rare(
        "with TV2 no epoch is told while a transaction ends",
        "T3.4",
        COORDINATOR,
        environment(**BY_4_0_2),
        "initialize 0; stray_join 0 0 0; stray_end 0 0 1; stray_join 0 3 0",
        kafka="4.0.2",
    ),
    Rare(
        "in 4.0.0 a fence adds two to the epoch",
        "T5.3",
        COORDINATOR,
        environment(generation="4.0.0", timeouts=1),
        f"{BEGUN}; time_out; write_marker 0; complete",
        kafka="4.0.0",
    ),
    Rare(
        "an epoch that a timeout has ended is told first without TV2 as well",
        "T7.11, T7.15",
        COORDINATOR,
        environment(generation="3.9.2", timeouts=1),
        f"initialize 0; {ADDED}; receive 0 0; hear 0 0; time_out; write_marker 0; proceed 0 0",
        kafka="3.9.2",
    ),
    Rare(
        "until 3.9 a transaction is open for a higher epoch, too",
        "T7.9",
        COORDINATOR,
        environment(**BY_3_9_2),
        f"{WITHOUT_TV2}; stray_record 0 0 1 0; receive 0 1",
        kafka="3.9.2",
    ),
    Rare(
        "until 3.9 an old epoch is told by the coordinator",
        "T7.12, T7.15",
        COORDINATOR,
        environment(**BY_3_9_2),
        f"{JOINED}; stray_end 0 0 1; write_marker 0; complete; stray_renew 0 0; stray_marker 0 0 1 1 0 0; {STRAY};"
        "hear 0 1",
        kafka="3.9.2",
    ),
    Rare(
        "until 4.0 a producer may begin anywhere",
        "T7.16",
        COORDINATOR,
        environment(**BY_3_9_2),
        "initialize 0; stray_join 0 0 0; stray_record 0 0 0 1; receive 0 1; hear 0 1; proceed 0 1",
        kafka="3.9.2",
    ),
    Rare(
        "until 3.9 a marker takes the guard of its epoch",
        "T7.11, T7.14",
        COORDINATOR,
        environment(**BY_3_9_2),
        f"initialize 0; {ADDED}; receive 0 0; hear 0 0; stray_marker 0 0 0 0 0 0; proceed 0 0",
        kafka="3.9.2",
    ),
    Rare(
        "until 4.0 no id is noted when a partition joins",
        "T1.2",
        COORDINATOR,
        environment(**NEAR, **BY_3_9_2, sessions=2, takeovers=1),
        "initialize 0; take_over 1; initialize 1; stray_join 1 0 0",
        kafka="3.9.2",
    ),
    Rare(
        "until 3.9 a wrong epoch is told while a transaction ends",
        "T3.4",
        COORDINATOR,
        environment(**BY_3_9_2),
        "initialize 0; stray_join 0 0 0; stray_end 0 0 1; stray_join 0 1 0; stray_join 0 0 0",
        kafka="3.9.2",
    ),
    Rare(
        "a fence at an exhausted epoch takes no next producer id along",
        "T5.7",
        COORDINATOR,
        environment(**NEAR, generation="4.2", timeouts=1),
        f"{BEGUN}; time_out; write_marker 0; complete",
        kafka="4.2.2",
    ),
    Rare(
        "until 4.2 an abort at the highest epoch fails as a commit does",
        "T5.5",
        COORDINATOR,
        environment(epochs=3, start_epoch=3, generation="4.2"),
        "stray_record 0 0 3 0; receive 0 1; hear 0 1; proceed 0 1; stray_end 0 3 0",
        kafka="4.2.2",
    ),
    Rare(
        "until 4.2 a new coordinator does not know the next producer id",
        "T1.11, T5.6",
        COORDINATOR,
        environment(**NEAR, generation="4.2", failovers=1),
        f"{BEGUN}; commit 0; end_transaction 0; fail_over; write_marker 0; complete",
        kafka="4.2.2",
    ),
)
OF_CLIENTS = (
    Rare(
        "the sequence of a refused record is given to the next one",
        "T9.11",
        PRODUCERS,
        environment(**PART_1, hasty=True, sessions=2, takeovers=1),
        f"initialize 0; {ADDED}; commit 0; take_over 1; initialize_over 1; write_marker 0; receive 0 0; hear 0 0",
    ),
    Rare(
        "behind a record that expired at the end the next one waits, in the same epoch",
        "T9.3, T9.11",
        PRODUCERS,
        environment(**PART_1, hasty=True, deadlines=1),
        f"initialize 0; {ADDED}; commit 0; deadline 0 0; abort_failed 0; end_transaction 0; write_marker 0; complete;"
        f"{ADDED}; receive 0 0; hear 0 0; proceed 0 0; send_again 0 0",
    ),
    Rare(
        "an abort stays one when a record expires",
        "T9.3",
        PRODUCERS,
        environment(hasty=True, aborts=1, deadlines=1),
        "initialize 0; begin 0; send 0 0; abort 0; deadline 0 0; end_transaction 0",
    ),
    Rare(
        "one bump is enough",
        "T9.3, T9.8",
        PRODUCERS,
        environment(**PART_1, deadlines=1),
        f"{EXPIRED}; bump 0; {ADDED}; receive 0 0; hear 0 0; proceed 0 0; commit 0; end_transaction 0",
    ),
    Rare(
        "a bump that finds the transaction of another producer asks again, and is fenced then",
        "T2.8, T9.5, T9.6",
        PRODUCERS,
        environment(**PART_1, sessions=2, takeovers=1, deadlines=1),
        f"{EXPIRED}; take_over 1; initialize 1; begin 1; add_partition 1 0; bump 0; write_marker 0; complete; bump 0",
    ),
    Rare(
        "behind a record that expired at the end one of an old epoch fails",
        "T9.7, T9.11",
        PRODUCERS,
        environment(**PART_1, hasty=True, sessions=2, deadlines=1, takeovers=1),
        f"initialize 0; {ADDED}; commit 0; deadline 0 0; abort_failed 0; end_transaction 0; write_marker 0; complete;"
        f"{ADDED}; take_over 1; initialize_over 1; write_marker 0; receive 0 0; hear 0 0",
    ),
    Rare(
        "who is fenced when a partition joins is at its end",
        "T9.6",
        PRODUCERS,
        environment(**PART_1, sessions=2, takeovers=1),
        "initialize 0; begin 0; take_over 1; initialize 1; add_partition 0 0",
    ),
    Rare(
        "a record that is to be tried again is",
        "T9.7",
        PRODUCERS,
        environment(**PART_1, late_ends=1),
        f"{WITHOUT_TV2}; commit 0; delay_end 0; end_transaction 0; write_marker 0; complete; {ADDED}; receive 0 0;"
        "end_late; hear 0 0; send_again 0 0",
    ),
    Rare(
        "whose id has been replaced is at its end when a partition joins",
        "T2.6, T9.6",
        PRODUCERS,
        environment(**NEAR, **OLDER, sessions=2, takeovers=1),
        "initialize 0; begin 0; take_over 1; initialize 1; add_partition 0 0",
    ),
    Rare(
        "a record that expires while its transaction is aborted asks for no bump",
        "T9.3",
        PRODUCERS,
        environment(**PART_1, hasty=True, aborts=1, deadlines=1),
        f"initialize 0; {ADDED}; abort 0; deadline 0 0; end_transaction 0; write_marker 0; complete; {ADDED}",
    ),
)

LATE_STARTS = (
    Rare(
        "an InitProducerId that is executed once more fences the producer that has sent it",
        "T2.2, T9.5",
        PRODUCERS,
        environment(late_starts=1),
        "delay_start 0; initialize 0; begin 0; send 0 0; start_late; receive 0 0; hear 0 0; abort_failed 0;"
        "end_transaction 0",
    ),
    Rare(
        "an InitProducerId that is executed once more fences the transaction of the producer that has sent it",
        "T2.5",
        COORDINATOR,
        environment(late_starts=1),
        f"delay_start 0; {BEGUN}; start_late; write_marker 0; complete; commit 0; end_transaction 0",
    ),
    Rare(
        "the InitProducerId of a bump that is executed once more fences the next transaction",
        "T2.8",
        COORDINATOR,
        environment(**BY_3_9_2, late_starts=1, deadlines=1),
        f"{EXPIRED}; delay_start 0; bump 0; begin 0; add_partition 0 0; start_late",
        "3.9.2",
    ),
    Rare(
        "the InitProducerId of a bump that is executed once more before the next transaction changes nothing",
        "T2.3",
        COORDINATOR,
        environment(**BY_3_9_2, late_starts=1, deadlines=1),
        f"{EXPIRED}; delay_start 0; bump 0; start_late; begin 0; add_partition 0 0",
        "3.9.2",
    ),
)

REPLACED: dict[str, Any] = {"sessions": 2, "takeovers": 1, **NEAR}
OF_OLDER_CLIENTS = (
    Rare(
        "whose id has been replaced when the first partition joins bumps its epoch, and is fenced",
        "T2.7, T9.6, T9.9",
        PRODUCERS,
        environment(**REPLACED, **BY_3_9_2),
        "initialize 0; begin 0; take_over 1; initialize 1; add_partition 0 0; abort_failed 0; bump 0",
        "3.9.2",
    ),
    Rare(
        "whose id has been replaced when another partition joins asks for the end of its transaction before",
        "T2.7, T9.6",
        PRODUCERS,
        {**environment(**REPLACED, **BY_3_9_2), "partitions": 2},
        f"initialize 0; begin 0; add_partition 0 0; {TAKEN_OVER}; add_partition 0 1; abort_failed 0; end_transaction 0;"
        "bump 0",
        "3.9.2",
    ),
    Rare(
        "whose id has been replaced when it commits aborts, and is refused twice",
        "T4.1, T9.6",
        PRODUCERS,
        environment(**REPLACED, **BY_3_9_2),
        f"{WITHOUT_TV2}; {TAKEN_OVER}; commit 0; end_transaction 0; abort_failed 0; end_transaction 0; bump 0",
        "3.9.2",
    ),
    Rare(
        "whose id has been replaced when it aborts of itself does so for ever",
        "T4.1, T9.6",
        PRODUCERS,
        environment(**REPLACED, **BY_3_9_2, aborts=1),
        f"initialize 0; begin 0; add_partition 0 0; {TAKEN_OVER}; abort 0; end_transaction 0; begin 1",
        "3.9.2",
    ),
    Rare(
        "whose id has been replaced when its record is verified aborts",
        "T3.5, T7.12, T9.6",
        PRODUCERS,
        environment(**REPLACED, **BY_3_9_2),
        f"initialize 0; {ADDED}; {TAKEN_OVER}; receive 0 0; hear 0 0; abort_failed 0; end_transaction 0; bump 0",
        "3.9.2",
    ),
    Rare(
        "whose id has been replaced fences the transaction of its successor before it is fenced itself",
        "T2.7, T2.8, T9.6",
        PRODUCERS,
        environment(**REPLACED, **BY_3_9_2),
        "initialize 0; begin 0; take_over 1; initialize 1; add_partition 0 0; abort_failed 0; begin 1; "
        "add_partition 1 0; bump 0; write_marker 0; complete; bump 0",
        "3.9.2",
    ),
    Rare(
        "a record that expires at the end fails once more when its connection is lost, and asks for a bump",
        "T9.3, C6",
        PRODUCERS,
        environment(generation="classic", hasty=True, deadlines=1),
        f"initialize 0; {ADDED}; commit 0; deadline 0 0; abort_failed 0; end_transaction 0; write_marker 0; complete;"
        f"bump 0; {ADDED}",
        "2.8.2",
    ),
    Rare(
        "a record that expires while its transaction is aborted gives its sequence to the next one",
        "T9.11, C6",
        PRODUCERS,
        environment(generation="classic", hasty=True, aborts=1, deadlines=1),
        f"initialize 0; {ADDED}; abort 0; deadline 0 0; end_transaction 0; write_marker 0; complete; {ADDED}",
        "2.8.2",
    ),
    Rare(
        "whose id has been replaced when it commits aborts, with the clients of 2.8",
        "T4.1, T9.6",
        PRODUCERS,
        environment(**REPLACED, generation="classic"),
        f"initialize 0; {ADDED}; receive 0 0; {TAKEN_OVER}; commit 0; end_transaction 0; abort_failed 0;"
        "end_transaction 0; bump 0",
        "2.8.2",
    ),
)

EXPIRED_ID = {"timeouts": 1, "expiries": 1}
GONE = "time_out; write_marker 0; complete; expire_id"
"""A transaction has timed out, and then the transactional id has not been used for long."""
REFUSED = "commit 0; end_transaction 0; abort_failed 0; end_transaction 0; bump 0"
"""Its producer comes back, is refused twice, and gets a fresh producer id."""

OF_EXPIRED_IDS = (
    Rare(
        "whose id has expired takes its partition along, and sends without a word to the coordinator",
        "T2.9, T9.16",
        PRODUCERS,
        environment(**EXPIRED_ID, generation="classic"),
        f"initialize 0; {ADDED}; receive 0 0; {GONE}; {REFUSED}; begin 0; send 0 0; receive 0 0; commit 0;"
        "end_transaction 0",
        "2.8.2",
    ),
    Rare(
        "whose id has expired takes its partition along, and is told so where it is verified",
        "T2.9, T3.5, T9.16",
        PRODUCERS,
        environment(**EXPIRED_ID, **BY_3_9_2),
        f"{WITHOUT_TV2}; {GONE}; {REFUSED}; begin 0; send 0 0; receive 0 0; hear 0 0; abort_failed 0;end_transaction 0",
        "3.9.2",
    ),
    Rare(
        "whose id has expired before a partition joined never asks for that one again",
        "T2.9, T9.16",
        PRODUCERS,
        environment(**EXPIRED_ID, **BY_3_9_2, partitions=2),
        f"initialize 0; begin 0; add_partition 0 0; {GONE}; add_partition 0 1; abort_failed 0; end_transaction 0;"
        "bump 0; begin 0; wait_in_vain 0 1; abort_failed 0; end_transaction 0",
        "3.9.2",
    ),
    Rare(
        "whose id has expired before a partition joined asks for it beside another one",
        "T2.9, T9.16",
        PRODUCERS,
        environment(**EXPIRED_ID, **BY_3_9_2, partitions=3, transactions=3),
        f"initialize 0; begin 0; add_partition 0 0; {GONE}; add_partition 0 1; abort_failed 0; end_transaction 0;"
        "bump 0; begin 0; add_partition 0 2; send 0 1; send 0 2; send 0 0; receive 1 0; hear 1 0; proceed 1 0;"
        "receive 2 0; hear 2 0; proceed 2 0; receive 0 0; hear 0 0; abort_failed 0; end_transaction 0;"
        "write_marker 1; write_marker 2; complete; bump 0; begin 0; add_partition 0 0",
        "3.9.2",
    ),
    Rare(
        "a partition has joined, its answer is lost, and send refuses another record: the producer fences itself",
        "T9.15, T2.8, T5.11",
        PRODUCERS,
        environment(lost_joins=1, **BY_3_9_2),
        "initialize 0; begin 0; lose_join 0 0; abort_failed 0; bump 0; write_marker 0; complete; bump 0",
        "3.9.2",
    ),
    Rare(
        "whose id has expired between two transactions gets a fresh one",
        "T2.9, T9.6",
        PRODUCERS,
        environment(expiries=1, **BY_3_9_2),
        f"initialize 0; expire_id; begin 0; add_partition 0 0; abort_failed 0; bump 0; {ADDED}",
        "3.9.2",
    ),
    Rare(
        "an id that has expired is refused, and given anew to whoever has an old pair",
        "T2.9, T3.1",
        COORDINATOR,
        environment(expiries=1, **BY_3_9_2),
        "initialize 0; begin 0; expire_id; add_partition 0 0; abort_failed 0; bump 0; begin 0; add_partition 0 0",
        "3.9.2",
    ),
)

ALL = (*OF_BROKERS, *OF_CLIENTS, *LATE_STARTS, *OF_OLDER_BROKERS, *OF_OLDER_CLIENTS, *OF_EXPIRED_IDS)
RELEASES = list(dict.fromkeys(each.kafka for each in ALL))
RARE = tuple(sorted(ALL, key=lambda each: RELEASES.index(each.kafka)))
"""Each was found by a mistake in the model that no walk told apart."""
