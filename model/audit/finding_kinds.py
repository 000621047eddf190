"""The kinds of findings: what each one means, whether it violates idempotence, and possible explanations.

Idempotence guarantees that within a partition, the records of a producer are written once and in order. Rules (B4.4,
D9, ...) are the ids of `everystate rules`; scenarios are the names of `everystate list`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """The severity of a finding."""

    BROKEN = "broken"
    DAMAGED = "damaged"
    SUSPICIOUS = "suspicious"
    LEGAL = "legal"


@dataclass(frozen=True)
class Kind:
    """A kind of finding: a one-line description, the reason, the rules, and the scenarios that produce it."""

    name: str
    level: Level
    title: str
    why: str
    rules: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "duplicate",
            Level.BROKEN,
            "sequences were written before in this epoch, at another offset",
            "A broker that knows the producer accepts the next sequence only (B4.4) and recognises its last five "
            "batches (B2). One that has lost its state accepts any sequence (B4.1), a retry among them.",
            ("B2", "B4.1", "B4.4", "D9", "D11"),
            ("current/expiry-and-lost-response", "current/retention-and-restart"),
        ),
        Kind(
            "copy",
            Level.BROKEN,
            "the records of a batch were written again in a newer epoch",
            "A retry that the broker does not recognise is answered OUT_OF_ORDER_SEQUENCE_NUMBER; if it is next in "
            "line the producer bumps its epoch, renumbers what is in flight and sends it again (C5.4, C9), although "
            "it may be in the log.",
            ("B2", "B4.2", "C5.4", "C9.3"),
            ("current/clean-restart", "current/definite-error-of-a-retry"),
        ),
        Kind(
            "gap",
            Level.BROKEN,
            "sequences are in no batch, and the log has no room for them",
            "Batches with these sequences were sent and are not in the log, while later ones are. Whether their "
            "records were reported as failed only the producer knows.",
            ("B4.1", "B4.3", "B4.4", "D9", "D16"),
            ("current/expiry-and-refusal",),
        ),
        Kind(
            "reordered",
            Level.BROKEN,
            "a batch stands behind later sequences of its epoch",
            "It was overtaken, or is a late copy of a batch that is no longer in the log; a broker that knows the "
            "producer refuses both (B4.4).",
            ("B4.1", "B4.4", "D9"),
            ("current/expiry-and-refusal",),
        ),
        Kind(
            "epoch-regression",
            Level.BROKEN,
            "an older epoch writes after a newer one",
            "A broker refuses an older epoch (B3), unless it has lost the state of the producer (B4.1): a writer that "
            "was fenced is back.",
            ("B3", "B4.1", "D1", "D9"),
            ("current/expiry-and-lost-response",),
        ),
        Kind(
            "likely-copy",
            Level.SUSPICIOUS,
            "a batch of a newer epoch has the size and time of one of the epoch before",
            "It may be a copy, see `copy`. A dump does not show the records: the segments themselves decide.",
            ("B2", "B4.2", "C5.4", "C9.3"),
            ("current/clean-restart", "current/definite-error-of-a-retry"),
        ),
        Kind(
            "equal-batch",
            Level.SUSPICIOUS,
            "a batch without a producer id is equal to an earlier one: the same records with the same times",
            "Without idempotence a broker appends whatever comes: a batch whose answer was lost is sent again, and is "
            "in the log twice. Two batches that an application made alike within a millisecond look the same.",
            ("B1.11", "C5.7"),
            ("non-idempotent/at-least-once",),
        ),
        Kind(
            "missing-start",
            Level.SUSPICIOUS,
            "the first sequences are in no batch, though the log begins early enough to hold them",
            "A broker that does not know the producer accepts any first sequence (B4.1): the first batches were "
            "refused and never written, or they were written to an earlier log of this name.",
            ("B4.1",),
            ("current/cold-start-refused",),
        ),
        Kind(
            "first-sequence",
            Level.LEGAL,
            "the first batch of a producer does not have sequence 0",
            "What came before it stood at offsets that are not in the input: retention or compaction removed them, or "
            "their segments were not given.",
            ("B4.1", "D10"),
            ("current/retention",),
        ),
        Kind(
            "unproved-gap",
            Level.LEGAL,
            "sequences are missing, and so are as many offsets",
            "The missing batches may have stood at the missing offsets: compaction, damage, or segments that were "
            "not given. Nothing is proved.",
            ("D13",),
        ),
        Kind(
            "epoch-bump",
            Level.LEGAL,
            "a producer without transactions has begun a new epoch",
            "It met an error and numbered its batches anew (C9). That is how the protocol recovers, and also how the "
            "copies of `copy` come about.",
            ("B4.2", "C9.1", "C9.3"),
            ("current/definite-error",),
        ),
        Kind(
            "open-transaction",
            Level.LEGAL,
            "a transaction has no marker at the end of the log",
            "The log was read while the transaction went on, or the transaction hangs: consumers that read only what "
            "is committed stop before its first offset. Its coordinator ends it after transaction.timeout.ms.",
        ),
        Kind(
            "wrap",
            Level.LEGAL,
            "the sequence number has passed 2147483647 and goes on at 0",
            "Sequence numbers are 31 bits wide.",
            ("B4.4", "C12"),
            ("current/sequence-wrap",),
        ),
        Kind(
            "truncated",
            Level.DAMAGED,
            "a batch is cut off",
            "The file ends before the batch does: a crash, a full "
            "disk, or a segment that was copied while it was written.",
        ),
        Kind(
            "checksum",
            Level.DAMAGED,
            "the checksum of a batch is wrong",
            "The batch is left out; its sequences count as not known.",
        ),
        Kind(
            "corrupt",
            Level.DAMAGED,
            "no batch can begin here",
            "Batches are found one after the other, so the rest of the segment cannot be read.",
        ),
        Kind("offsets-back", Level.DAMAGED, "offsets go back within a segment", "A log only grows."),
        Kind(
            "overlap",
            Level.DAMAGED,
            "two segments of one log hold the same offsets",
            "Segments of one log follow "
            "each other. Two replicas in one folder, or leftovers of a compaction? Batches that are equal count once.",
        ),
        Kind("bad-line", Level.DAMAGED, "a line of the dump cannot be read", "It begins like that of a batch."),
        Kind(
            "lines-missing",
            Level.DAMAGED,
            "the dump leaves out a part of the segment",
            "Batches end where the next begins. Was the dump filtered or cut?",
        ),
        Kind(
            "stray-line",
            Level.DAMAGED,
            "a line of the dump describes no batch",
            "The dump ended with an error, or another program wrote into it. What else it left out is not known.",
        ),
        Kind("not-a-log", Level.DAMAGED, "no batch was found", "The file is neither a segment nor a dump of one."),
        Kind("unreadable", Level.DAMAGED, "the file cannot be read", "The machine that tried to says why."),
        Kind(
            "legacy",
            Level.DAMAGED,
            "messages of format 0 or 1",
            "They carry no producer id, so there is nothing to "
            "audit (brokers before 0.11, or log.message.format.version).",
        ),
        Kind(
            "preallocated",
            Level.LEGAL,
            "zeros at the end of a segment",
            "log.preallocate makes the file before it is written.",
        ),
        Kind("empty", Level.LEGAL, "no batch", "A segment that was rolled and not yet written, or a dump of one."),
    )
}
ORDER = {name: at for at, name in enumerate(KINDS)}
