"""The generations as data: each row of the table in docs/reference/rules-transactions.md, as choices."""

from __future__ import annotations

from dataclasses import dataclass, replace

ACCEPTED, VERIFIED, ADDED = "accepted", "verified at the coordinator", "added at the coordinator"
AT_LEAST, ABOVE, ABOVE_OR_REPEATED = "at least the last one", "above the last one", "above, or a repetition"
ONCE, TWICE = "once", "twice"
OLD_ID, NEXT_ID = "keeps the producer id", "goes on with the next producer id"


@dataclass(frozen=True)
class Generation:
    """What coordinator, leaders and clients of one generation do where the generations differ."""

    name: str
    versions: str
    outside: str = ACCEPTED  # a batch of a transaction that is not open at the leader (T7.8, T7.9, T7.13)
    epoch_per_transaction: bool = False  # TV2 of clients: T4.5, T4.6, T9.8
    tv2_fences: bool = False  # TV2 of the cluster, which fences and timeouts follow: T5.3, T5.4, T5.11
    fence_bumps: str = ONCE  # T5.1, T5.3, T5.4
    exhausted_fence: str = OLD_ID  # T5.7 against T5.6
    fences_the_highest: bool = False  # T5.9 against T5.8: a transaction of the highest epoch can be fenced
    marker_epoch: str = AT_LEAST  # T7.3, T7.4
    open_by_epoch: bool = False  # T7.9: whose transaction is open at the leader: the epoch's, or the producer id's
    guard_survives: bool = False  # T7.14
    epoch_before_guard: bool = False  # T7.15: before the verification begins
    epoch_at_append: bool = False  # T7.15: again, before the guard is compared
    lowest_goes_first: bool = False  # T7.17: of the batches of a producer that the leader does not know
    begins_at_zero: bool = False  # T7.16: the first batch of a producer that the leader does not know
    overflow_answer: str = NEXT_ID  # T4.7
    old_epoch_is_fatal: bool = False  # T9.7: INVALID_PRODUCER_EPOCH as the answer to a produce request
    fails_again: bool = False  # T9.3, C6: a record that expired fails once more when its connection is lost
    unknown_id_is_fatal: bool = False  # T9.6: INVALID_PRODUCER_ID_MAPPING, as the answer to whatever
    log_has_ids: bool = False  # T1.11: the record of a transaction has its previous and its next producer id
    log_has_last_epoch: bool = False  # T1.11: so has its last epoch, by which a retry of T2.3 is known
    always_notes_id: bool = False  # T1.2: whether every transition notes the previous producer id
    pending_first: bool = False  # T3.4: CONCURRENT_TRANSACTIONS goes before what is said of id and epoch

    @property
    def cluster(self) -> int:
        """The transaction version of the cluster: its records have ids from 1 on (T1.11)."""
        return 2 if self.tv2_fences else int(self.log_has_ids)

    @property
    def mixed(self) -> bool:
        """Whether a client ends a transaction in another way than the coordinator does by itself."""
        return self.tv2_fences != self.epoch_per_transaction

    @property
    def verifies(self) -> bool:
        """Whether the leader asks the coordinator before the first batch of a transaction."""
        return self.outside != ACCEPTED


CLASSIC = Generation("classic", "2.5 to 3.5", fails_again=True)
OLDEST = replace(CLASSIC, name="2.5", versions="2.5 and 2.6", old_epoch_is_fatal=True)
PART_1 = Generation("part-1", "3.6 to 3.9.1", outside=VERIFIED, lowest_goes_first=True)
PART_1_3_9_2 = replace(PART_1, name="3.9.2", versions="3.9.2", epoch_at_append=True)
TV2_4_1 = Generation(
    "4.1",
    "4.1",
    outside=ADDED,
    lowest_goes_first=True,
    unknown_id_is_fatal=True,
    epoch_per_transaction=True,
    tv2_fences=True,
    open_by_epoch=True,
    guard_survives=True,
    epoch_before_guard=True,
    epoch_at_append=True,
    begins_at_zero=True,
    always_notes_id=True,
    pending_first=True,
)
TV2_4_0_0 = replace(
    TV2_4_1,
    name="4.0.0",
    versions="4.0.0",
    fence_bumps=TWICE,
    epoch_before_guard=False,
    epoch_at_append=False,
    begins_at_zero=False,
    always_notes_id=False,
)
TV2_4_0_1 = replace(TV2_4_0_0, name="4.0.1", versions="4.0.1", fence_bumps=ONCE)
TV2_4_0_2 = replace(TV2_4_0_1, name="4.0.2", versions="4.0.2", epoch_at_append=True)
TV2_4_2 = replace(TV2_4_1, name="4.2", versions="4.2", marker_epoch=ABOVE_OR_REPEATED)
TV2_4_3 = replace(
    TV2_4_2, name="4.3", versions="4.3 and later", exhausted_fence=NEXT_ID, fences_the_highest=True, log_has_ids=True
)
WITHOUT_TV2 = replace(
    PART_1,
    name="4.3-without-tv2",
    versions="4.3 and later, a cluster without TV2",
    unknown_id_is_fatal=True,
    open_by_epoch=True,
    epoch_before_guard=True,
    epoch_at_append=True,
    fences_the_highest=True,
    log_has_ids=True,
    always_notes_id=True,
    pending_first=True,
)
UNVERIFIED = replace(
    WITHOUT_TV2,
    name="4.3-unverified",
    versions="4.3 and later, a cluster without TV2, transaction.partition.verification.enable=false",
    outside=ACCEPTED,
    lowest_goes_first=False,
    open_by_epoch=False,
    epoch_before_guard=False,
    epoch_at_append=False,
)
OLD_CLIENTS = replace(
    WITHOUT_TV2,
    name="4.3-old-clients",
    versions="4.3 and later, a cluster with TV2, clients without",
    unknown_id_is_fatal=False,
    tv2_fences=True,
    exhausted_fence=NEXT_ID,
    marker_epoch=ABOVE_OR_REPEATED,
)
KAFKA_14920 = replace(PART_1, name="kafka-14920", versions="before 3.6.0, never released", lowest_goes_first=False)
KAFKA_20357 = replace(
    WITHOUT_TV2, name="kafka-20357", versions="after 4.4, a cluster without TV2; in no release", log_has_last_epoch=True
)
KAFKA_18660 = replace(
    TV2_4_0_0, name="kafka-18660", versions="before 4.0.0, never released", overflow_answer=OLD_ID, pending_first=False
)
KAFKA_18575 = replace(TV2_4_0_0, name="kafka-18575", versions="before 4.0.0, never released", guard_survives=False)
KAFKA_19999 = replace(TV2_4_2, name="kafka-19999", versions="before 4.2.0, never released", marker_epoch=ABOVE)

GENERATIONS: dict[str, Generation] = {
    g.name: g
    for g in (
        OLDEST,
        CLASSIC,
        KAFKA_14920,
        PART_1,
        PART_1_3_9_2,
        KAFKA_18575,
        KAFKA_18660,
        TV2_4_0_0,
        TV2_4_0_1,
        TV2_4_0_2,
        TV2_4_1,
        KAFKA_19999,
        TV2_4_2,
        TV2_4_3,
        WITHOUT_TV2,
        UNVERIFIED,
        OLD_CLIENTS,
        KAFKA_20357,
    )
}
