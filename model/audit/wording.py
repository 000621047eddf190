"""A finding in words, for the table and the page."""

from __future__ import annotations

from typing import Any

from .report import Found


def where(found: Found) -> str:
    """Its log: topic and partition, or the file where they are not known."""
    if found["topic"] is not None and found["partition"] is not None:
        return f"{found['topic']}-{found['partition']}"
    return file_name(found["path"] or found["file"] or "")


def file_name(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def place(found: Found) -> str:
    """The offset of its batch, or the file and byte where there is none."""
    if found["base_offset"] is not None:
        return f"offset {found['base_offset']:,}"
    text = file_name(found["path"] or found["file"] or "")
    return f"{text} byte {found['position']:,}" if found["position"] is not None else text


def writer(found: Found) -> str:
    """Producer, epoch and sequences of its batch."""
    if found["producer_id"] is None:
        return ""
    return f"{found['producer_id']} epoch {found['epoch']} {sequences(found.values)}"


def sequences(batch: dict[str, Any], prefix: str = "") -> str:
    """The sequences of a batch: 7, or 7..9."""
    first, last = batch[prefix + "first_sequence"], batch[prefix + "last_sequence"]
    return f"{first}" if first == last else f"{first}..{last}"


def description(found: Found) -> str:
    """What is wrong, in one line."""
    kind, other = found["kind"], found["other_base_offset"]
    at = f"offset {other:,}" if other is not None else "an offset that is no longer remembered"
    text = found["text"] or ""
    match kind:
        case "duplicate":
            return f"was written at {at}" + (f": {text}" if text else "")
        case "copy" | "likely-copy":
            sure = "is" if kind == "copy" else "looks like"
            newer = found["amount"]
            batches = "newer batch" if newer == 1 else "newer batches"
            behind = f"; {newer} {batches} of its producer in between" if newer else ""
            return (
                f"{sure} sequence {sequences(found.values, 'other_')} of epoch {found['other_epoch']} at {at}{behind}"
            )
        case "gap" | "unproved-gap":
            before = f" behind {at}" if other is not None else ""
            return f"{text} in no batch{before}"
        case "reordered":
            return f"stands behind sequence {found['other_last_sequence']} at {at}"
        case "missing-start" | "first-sequence":
            return f"begins at sequence {found['first_sequence']}"
        case "epoch-bump":
            return f"{text}, after {at}"
    return str(text)


def many(number: int, noun: str, several: str = "") -> str:
    """A number of things: 1 file, 2 files, 3 batches."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"
