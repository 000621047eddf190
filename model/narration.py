"""What a story says of a broker's memory and of its judgements; functions of plain values, never compiled."""

from __future__ import annotations

from collections.abc import Sequence

from .records import DUPLICATE, FENCED, OUT_OF_ORDER, UNKNOWN_PRODUCER, Entry, Request


def sequences(entries: Sequence[Entry]) -> str:
    """The remembered batches of one producer, oldest first: `seq 2 to 4 of epoch 1`."""
    if not entries:
        return "nothing of the producer"
    epoch = entries[-1].epoch
    numbers = [entry.sequence for entry in entries if entry.epoch == epoch]
    span = f"{numbers[0]} to {numbers[-1]}" if len(numbers) > 1 else f"{numbers[0]}"
    return f"seq {span} of epoch {epoch}"


def duplicate(request: Request, original: int, log: Sequence[Entry]) -> str:
    """Why a request is answered like a batch that is in the log (B2)."""
    name = f"b{request.batch} (seq {request.sequence})"
    if original < len(log):
        return f"{name} is a duplicate: in the log at offset {original}"
    return f"{name} is taken for a duplicate of another batch"


def refused(request: Request, outcome: str, entries: Sequence[Entry]) -> str:
    """Why a request is refused, given what is remembered of its producer (B3, B4)."""
    reasons = {
        FENCED: f"is of epoch {request.epoch}",
        OUT_OF_ORDER: "does not follow",
        UNKNOWN_PRODUCER: "cannot be judged",
        DUPLICATE: "is older than all that is known",
    }
    newer = outcome == OUT_OF_ORDER and entries and request.epoch > entries[-1].epoch
    reason = f"begins epoch {request.epoch} above 0" if newer else reasons[outcome]
    return f"b{request.batch} (seq {request.sequence}) {reason}: knows {sequences(entries)}"


def accepted(request: Request, entries: Sequence[Entry]) -> str:
    """What is remarkable of a request that is accepted: any sequence of a producer that is not known (B4.1)."""
    if entries or request.sequence == 0:
        return ""
    return f"b{request.batch} (seq {request.sequence}) is accepted: knows {sequences(entries)}"


def truncated(lost: Sequence[Entry], end: int, foreign: int) -> str:
    """What a replica loses that cuts its log back (D4); nothing to tell where it loses nothing."""
    names = [f"b{entry.batch}" if entry.batch < foreign else "another producer's record" for entry in lost]
    return f"truncates its log to offset {end}: loses {', '.join(names)}" if names else ""
