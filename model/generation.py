"""The protocol generations as data: what section (e) of the reference lists, each difference a named choice."""

from __future__ import annotations

from dataclasses import dataclass, replace

BUMP, RESET, FAIL = "bump the epoch", "reset the producer id", "fail at once and reset the producer id"
SHIFT, NOTHING = "shift the later sequences down", "nothing"
RENUMBER = "renumber from 0 with the same id and epoch"
ON_DRAIN, ON_SUCCESS = "when drained", "when acknowledged"
AT_DRAIN, AT_COMPLETION, ALL_AT_ONCE = "lazily at drain", "when the last in flight succeeds", "all at once"
ACCEPT, REFUSE_45, REFUSE_59 = "accept", "45", "59"
REFUSE_45_IF_NEVER_WRITTEN = "45 where the log never held a record, else accept"
AFTER_LAST_ACKED, FIRST_IN_FLIGHT = "baseSeq - lastAcked = 1", "that, and first(I(p))"
TRIM, KEEP_WIDEST = "cut to the value in force", "never less than any replica may have promised"
LAST_BATCH, WHOLE_CACHE = "the last batch of each producer", "every remembered batch"
OWN_WINDOW, SMALLEST_IN_SYNC = "its own", "the smallest of the in-sync set"
SEQUENCED, ON_THE_WIRE = "every batch with a sequence, waiting retries included", "batches on a connection"
SENT_ANYWHERE, DISTANCE = "batches on any connection", "every batch sent, from the oldest unfinished one on"
NEW_BATCHES, RETRIES_TOO = "new batches", "new batches and retries"
CONNECTION_OR_LEADER, ANOTHER_LEADER = "at a lost connection, and at another leader", "at another leader"
ANOTHER_EPOCH, NEVER = "at another leader epoch", "never"
EVERY_ANSWER, KNOWN_LEADER = "every answer", "answers of the leader that the client knows"
THE_DEFAULT, NO_NEWS, THE_VALUE = "the default", "nothing new", "the value"
A_PARTITION, A_CONNECTION = "the partition of the answer", "every partition of the connection"
REFUSED, ACKNOWLEDGED_ALL = "45", "acknowledged, without an offset"
ACKNOWLEDGED = "acknowledged, without an offset, back to where the sequences began without a gap"


@dataclass(frozen=True)
class Generation:
    """What one generation of client and broker does where the generations differ."""

    name: str
    versions: str

    # -- client
    idempotent: bool = True
    sequence_advances: str = ON_DRAIN
    out_of_order: str = BUMP  # 45 of the batch that is next in line (C5.3 to C5.6)
    next_in_line: str = AFTER_LAST_ACKED  # C5.4
    unknown_producer: str = BUMP  # 59 (C5.1, C5.2)
    failed_batch: str = BUMP  # a definite error (C6.4)
    other_partitions: str = AT_DRAIN  # C9.4, C2.3
    expired_retry_unresolved: bool = True  # C7.2, else the producer id is reset at once
    told_again: bool = False  # C6 a second time, for a late error of a batch that is finished (until KAFKA-14831)
    old_pairs_ignored: bool = False  # C6 not for a batch whose id and epoch are not the producer's any more
    old_ids_count: bool = False  # C4.5 and C6.4 also for a batch whose id was reset (until KAFKA-8484)
    delivery_timeout: bool = True  # KAFKA-5886: refuses retries and expires on the wire; before, the queue only
    window_discovered: bool = False  # KIP-1269 K2 to K5
    limit_counts: str = SEQUENCED  # K4 does not say what is in flight
    limit_holds: str = NEW_BATCHES  # K4: what waits while in-flight(p) is not below the limit
    limit_restarts: str = CONNECTION_OR_LEADER  # K3, K5: when the limit is the default again
    limit_believes: str = EVERY_ANSWER  # K3 compares no leader epoch
    limit_is_of: str = A_PARTITION  # K2, K3: what an answer speaks of
    absent_field: str = THE_DEFAULT  # K2: what a success without the field says
    errors_say: str = NO_NEWS  # K3: what an error says; THE_DEFAULT: the field is absent there, as from an old broker

    # -- broker
    batches_remembered: int = 5
    unknown_pid: str = ACCEPT  # first sequence != 0 (B4.1)
    duplicate_answer_46: bool = False  # an old duplicate is answered DUPLICATE_SEQUENCE_NUMBER (1.0.0, 1.0.1)
    retention_drops_state: bool = False  # D10
    shrunk_window: str = TRIM  # K1, K7: what a replica whose value is lower still recognises
    advertised_window: str = OWN_WINDOW  # K2
    older_batch: str = REFUSED  # B4.4: a batch of the current epoch that is older than all that are remembered
    snapshot_holds: str = LAST_BATCH  # D5
    high_watermark_stands: bool = True  # B6.1: while too few are in sync (KAFKA-15583; 3.6 is taken as 3.7)

    @property
    def bumps(self) -> bool:
        """Whether the client answers loss of state with an epoch bump (KIP-360) and not with a new producer id."""
        return self.idempotent and self.out_of_order == BUMP


CURRENT = Generation("current", "3.6 to 4.4")
KAFKA_12152 = replace(
    CURRENT, name="kafka-12152", versions="2.7.1 to 3.5.x", told_again=True, high_watermark_stands=False
)
KIP_360 = replace(
    KAFKA_12152, name="kip-360", versions="2.5.0 to 2.7.0", other_partitions=AT_COMPLETION, old_pairs_ignored=True
)
KAFKA_2_4 = replace(
    CURRENT,
    name="2.4",
    versions="2.4.x",
    out_of_order=RESET,
    unknown_producer=RENUMBER,
    failed_batch=SHIFT,
    told_again=True,
    other_partitions=ALL_AT_ONCE,
    unknown_pid=REFUSE_59,
    high_watermark_stands=False,
)
KAFKA_8484 = replace(KAFKA_2_4, name="kafka-8484", versions="2.3.x", retention_drops_state=True)
KAFKA_5886 = replace(KAFKA_8484, name="kafka-5886", versions="2.1.0 to 2.2.x", old_ids_count=True)
KAFKA_5494 = replace(KAFKA_5886, name="kafka-5494", versions="1.0.2 to 2.0.x", delivery_timeout=False, told_again=False)
KAFKA_1_0_0 = replace(KAFKA_5494, name="1.0.0", versions="1.0.0 and 1.0.1", duplicate_answer_46=True)
KIP_98 = replace(
    KAFKA_5494,
    name="kip-98",
    versions="0.11.0.x",
    sequence_advances=ON_SUCCESS,
    out_of_order=FAIL,
    unknown_producer=FAIL,
    failed_batch=NOTHING,
    old_ids_count=False,
    expired_retry_unresolved=False,
    batches_remembered=1,
    unknown_pid=REFUSE_45,
)
KAFKA_4_5 = replace(CURRENT, name="4.5", versions="4.5 (announced)", unknown_pid=REFUSE_45_IF_NEVER_WRITTEN)
KIP_1269 = replace(CURRENT, name="kip-1269", versions="proposed", window_discovered=True)
KIP_1269_WIRE = replace(
    KIP_1269, name="kip-1269-wire", versions="proposed, other reading of K4", limit_counts=ON_THE_WIRE
)
KIP_1269_HELD = replace(
    KIP_1269, name="kip-1269-held", versions="proposed, K4 read for retries too", limit_holds=RETRIES_TOO
)
KIP_1269_NODE = replace(
    KIP_1269, name="kip-1269-node", versions="proposed, K2 read by connection", limit_is_of=A_CONNECTION
)
KIP_1269_MIN = replace(
    KIP_1269, name="kip-1269-min", versions="proposed, K2 changed", advertised_window=SMALLEST_IN_SYNC
)
KIP_1269_KEEP = replace(KIP_1269, name="kip-1269-keep", versions="proposed, K1 changed", shrunk_window=KEEP_WIDEST)
KIP_1269_SAFE = replace(
    KIP_1269_KEEP, name="kip-1269-safe", versions="proposed, K1 and K7 changed", snapshot_holds=WHOLE_CACHE
)
KIP_1269_WINDOW = replace(
    KIP_1269_SAFE,
    name="kip-1269-window",
    versions="proposed, K1, K4, K7 and C5.4 changed",
    limit_counts=DISTANCE,
    next_in_line=FIRST_IN_FLIGHT,
)
KIP_1269_OLDER = replace(KIP_1269, name="kip-1269-older", versions="proposed, B4.4 changed", older_batch=ACKNOWLEDGED)
KIP_1269_ALL_OLDER = replace(
    KIP_1269, name="kip-1269-all-older", versions="proposed, B4.4 changed too far", older_batch=ACKNOWLEDGED_ALL
)
KIP_1269_OLDER_FIRST = replace(
    KIP_1269_OLDER,
    name="kip-1269-older-first",
    versions="proposed, B4.4 and C5.4 changed",
    next_in_line=FIRST_IN_FLIGHT,
)
CURRENT_FIRST = replace(
    CURRENT, name="current-first", versions="3.6 to 4.4, C5.4 changed", next_in_line=FIRST_IN_FLIGHT
)
CURRENT_SNAPSHOT = replace(
    CURRENT, name="current-snapshot", versions="3.6 to 4.4, D5 changed", snapshot_holds=WHOLE_CACHE
)
NON_IDEMPOTENT = replace(CURRENT, name="non-idempotent", versions="all", idempotent=False)

GENERATIONS: dict[str, Generation] = {
    g.name: g
    for g in (
        NON_IDEMPOTENT,
        KIP_98,
        KAFKA_1_0_0,
        KAFKA_5494,
        KAFKA_5886,
        KAFKA_8484,
        KAFKA_2_4,
        KIP_360,
        KAFKA_12152,
        CURRENT,
        KAFKA_4_5,
        CURRENT_FIRST,
        CURRENT_SNAPSHOT,
        KIP_1269,
        KIP_1269_WIRE,
        KIP_1269_HELD,
        KIP_1269_NODE,
        KIP_1269_MIN,
        KIP_1269_KEEP,
        KIP_1269_SAFE,
        KIP_1269_WINDOW,
        KIP_1269_OLDER,
        KIP_1269_ALL_OLDER,
        KIP_1269_OLDER_FIRST,
    )
}

RELEASES: dict[tuple[int, ...], Generation] = {
    (0, 11): KIP_98,
    (1, 0): KAFKA_1_0_0,
    (1, 0, 2): KAFKA_5494,
    (2, 1): KAFKA_5886,
    (2, 3): KAFKA_8484,
    (2, 4): KAFKA_2_4,
    (2, 5): KIP_360,
    (2, 7, 1): KAFKA_12152,
    (3, 6): CURRENT,
    (4, 5): KAFKA_4_5,
}
"""The first release of each generation."""


def at_release(version: tuple[int, ...]) -> Generation | None:
    """The generation that a release is of; None before 0.11, which has no idempotent producer."""
    found = [generation for first, generation in RELEASES.items() if version >= first]
    return found[-1] if found else None
