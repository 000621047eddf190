"""Violations in words: for the end of a diagram, a report or a chat message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..checker.language.concrete import IN_WORDS
from ..checker.results.plain import scalar, show
from ..checker.results.plain_trace import PlainStep, PlainTrace
from ..checker.results.text import AGAIN, FORMULA, TEMPORAL, named_kind, returns
from ..checker.results.verdict import Kind

WRITTEN = re.compile(r"^(\w+) goes into the log at offset (\d+)")
LONG = 60


def broken_words(trace: PlainTrace) -> Iterator[str]:
    """The lines that state what is broken; none for a trace without a violation."""
    if not trace.shows:
        return
    if trace.failing:
        yield f"step {trace.length} cannot be taken: {trace.explanation}"
        return
    if trace.kind == "deadlock":
        yield f"deadlock: {trace.explanation or 'no action is enabled'}"
        return
    if trace.kind == TEMPORAL:
        broken = "becomes false again and again" if AGAIN in trace.witness else "stays false"
        broken = "is false" if FORMULA in trace.witness else broken
        yield f"Temporal property {trace.shows} violated: it {broken}"
        yield f"the trace is fair: {returns(trace)}"
    elif trace.kind == "error in a property":
        yield f"{trace.shows} cannot be evaluated: {trace.explanation}"
        return
    elif trace.kind == Kind.TRAPPED.value:
        yield f"{trace.shows} cannot be reached from the last state"
    else:
        particular = instance(trace)
        yield f"{named_kind(trace.kind)}{trace.shows} violated" + (f": {particular}" if particular else "")
    if trace.explanation:
        yield f"expected: {trace.explanation}"


def instance(trace: PlainTrace) -> str:
    """The violation in detail: which record is where, or the values that decide; empty when unknown."""
    return str(trace.witness.get(IN_WORDS, "")) or _written_twice(trace) or _witness(trace.witness)


def _written_twice(trace: PlainTrace) -> str:
    """`record b0 is in the log at offsets 0 and 6`, if the last step writes a record again."""
    if "twice" not in trace.explanation or not trace.steps:
        return ""
    written = [list(_writes(step)) for step in trace.steps]
    for record, _ in written[-1]:
        offsets = [offset for found in written for name, offset in found if name == record]
        if len(set(offsets)) > 1:
            return f"record {record} is in the log at offsets {', '.join(offsets[:-1])} and {offsets[-1]}"
    return ""


def _writes(step: PlainStep) -> Iterator[tuple[str, str]]:
    for event in step.narration:
        match = WRITTEN.match(str(event.get("text", "")))
        if match:
            yield match[1], match[2]


def _witness(witness: dict[str, Any]) -> str:
    words = {name: show(scalar(value)) for name, value in witness.items()}
    return ", ".join(f"{name} = {text}" for name, text in words.items() if len(text) <= LONG)
