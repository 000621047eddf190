"""What is broken, in words: for the end of a diagram, a report or a chat message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..checker.language.concrete import IN_WORDS
from ..checker.results.plain import scalar, show
from ..checker.results.story import PlainStep, PlainTrace
from ..checker.results.text import AGAIN, FORMULA, TEMPORAL, named_kind, returns
from ..checker.results.verdict import Kind

WRITTEN = re.compile(r"^(\w+) goes into the log at offset (\d+)")
LONG = 60


def broken_words(story: PlainTrace) -> Iterator[str]:
    """The lines that say what is broken; none for a behaviour that shows nothing."""
    if not story.shows:
        return
    if story.failing:
        yield f"step {story.length} cannot be taken: {story.explanation}"
        return
    if story.kind == "deadlock":
        yield f"deadlock: {story.explanation or 'no action is enabled'}"
        return
    if story.kind == TEMPORAL:
        broken = "becomes false again and again" if AGAIN in story.witness else "stays false"
        broken = "is false" if FORMULA in story.witness else broken
        yield f"Temporal property {story.shows} violated: it {broken}"
        yield f"the trace is fair: {returns(story)}"
    elif story.kind == "error in a property":
        yield f"{story.shows} cannot be evaluated: {story.explanation}"
        return
    elif story.kind == Kind.TRAPPED.value:
        yield f"{story.shows} cannot be reached from the last state"
    else:
        particular = instance(story)
        yield f"{named_kind(story.kind)}{story.shows} violated" + (f": {particular}" if particular else "")
    if story.explanation:
        yield f"expected: {story.explanation}"


def instance(story: PlainTrace) -> str:
    """The violation in particular: which record is where, or the values that decide; empty when nobody knows."""
    return str(story.witness.get(IN_WORDS, "")) or _written_twice(story) or _witness(story.witness)


def _written_twice(story: PlainTrace) -> str:
    """`record b0 is in the log at offsets 0 and 6`, if the last step writes what was written before."""
    if "twice" not in story.explanation or not story.beats:
        return ""
    written = [list(_writes(beat)) for beat in story.beats]
    for record, _ in written[-1]:
        offsets = [offset for found in written for name, offset in found if name == record]
        if len(set(offsets)) > 1:
            return f"record {record} is in the log at offsets {', '.join(offsets[:-1])} and {offsets[-1]}"
    return ""


def _writes(beat: PlainStep) -> Iterator[tuple[str, str]]:
    for event in beat.narration:
        match = WRITTEN.match(str(event.get("text", "")))
        if match:
            yield match[1], match[2]


def _witness(witness: dict[str, Any]) -> str:
    told = {name: show(scalar(value)) for name, value in witness.items()}
    return ", ".join(f"{name} = {text}" for name, text in told.items() if len(text) <= LONG)
