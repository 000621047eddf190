"""Diagram: the content of a sequence diagram of a trace, without any geometry.

A diagram is a list of rows, each of one event: a message between two lanes, a note on a lane, or a line over all lanes.
Every reader of it (SVG, Mermaid, ShiViz) draws one row after the other, so nothing can overlap. A trace without
narration gets one lane, with the label of each action and its changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..checker.results.changes import changes
from ..checker.results.plain import show_changed
from ..checker.results.plain_trace import PlainStep, PlainTrace, Values, plain_trace_of
from ..checker.results.text import headline
from ..checker.results.trace import Trace
from .messages import CHANGE, LABEL, MARK, NOTE, Message, Note, Row, follow
from .wording import broken_words

MARK_WORDS = re.compile(
    r"\b(crash\w*|truncates|restarts?|elected|leads?|takes over|expires?|deletes?|deleted|time-?outs?|timed out"
    r"|timeout|passes|in-sync|rolls?|remembers|aborts?|commits?)\b",
    re.IGNORECASE,
)
"""Words for events that happen to an actor, as opposed to its answers to messages."""
FIRST = ("application", "client", "producer")
"""Actors that are drawn on the left."""
EVERYBODY = ("every ", "all ")
"""The prefix of a group of actors: its events are drawn over all lanes."""
MOST_CHANGES = 4
"""Lines of changes under an action that does not narrate."""


@dataclass(frozen=True)
class Diagram:
    """A trace as rows; `broken` states what is wrong at the end, empty when nothing is."""

    title: str
    subtitle: str
    lanes: tuple[str, ...]
    rows: tuple[Row, ...]
    steps: int
    broken: tuple[str, ...] = ()


def diagram_of(trace: Trace | PlainTrace) -> Diagram:
    """The diagram of a trace."""
    plain = plain_trace_of(trace) if isinstance(trace, Trace) else trace
    narrates = any(step.narration for step in plain.steps)
    rows = list(_narrated(plain) if narrates else _labelled(plain))
    if plain.failing:
        rows.append(Note(plain.length, "", plain.failing, LABEL))
    if plain.closing:
        rows.append(Note(plain.length, "", f"{plain.closing}, back to state {plain.loop}", LABEL))
    title = f"{plain.target}: {headline(plain)}" if plain.target else headline(plain)
    lanes = _lanes(rows) if narrates else ()
    broken = tuple(broken_words(plain))
    return Diagram(title, _constants(plain), lanes, tuple(follow(rows)), plain.length, broken)


def ending(trace: Trace, steps: int) -> Diagram:
    """The diagram of the last steps of a trace, with what is wrong in the whole."""
    whole, left_out = diagram_of(trace), trace.length - steps
    if left_out <= 0:
        return whole
    part = diagram_of(last(trace, steps))
    rows = tuple(replace(row, step=row.step + left_out) for row in part.rows)
    return replace(whole, lanes=part.lanes, rows=rows)


def last(trace: Trace, steps: int) -> Trace:
    """The last steps of a trace, with the same violation."""
    return replace(
        trace, initial=trace.states[-steps - 1], steps=trace.steps[-steps:], beside=trace.beside[-steps - 1 :]
    )


def _constants(plain: PlainTrace) -> str:
    """The constants that differ from their defaults."""
    changed = show_changed(plain.constants)
    return f"with {changed}" if changed else ""


def _lanes(rows: list[Row]) -> tuple[str, ...]:
    """Clients first, then in order of appearance, actors of one kind by number: producer, broker 0, broker 1."""
    found: dict[str, None] = {}
    for row in rows:
        for name in (row.source, row.target) if isinstance(row, Message) else (row.lane,):
            if name:
                found.setdefault(name)
    names = sorted(found, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    kinds = [re.sub(r"\d+$", "", name) for name in names]
    return tuple(sorted(names, key=lambda name: (kinds.index(re.sub(r"\d+$", "", name)), _number(name))))


def _number(name: str) -> int:
    match = re.search(r"\d+$", name)
    return int(match[0]) if match else -1


def _narrated(plain: PlainTrace) -> Iterator[Row]:
    for number, step in enumerate(plain.steps, start=1):
        if not step.narration:
            yield Note(number, "", step.label, LABEL)
        for event in step.narration:
            yield _row(number, event)


def _row(step: int, event: dict[str, object]) -> Row:
    text, source, target = (str(event.get(name) or "") for name in ("text", "source", "target"))
    if source and target:
        return Message(step, source, target, text, bool(event.get("lost")))
    lane = source or target or str(event.get("at") or "")
    kind = MARK if MARK_WORDS.search(text) else NOTE
    return Note(step, "", f"{lane}: {text}", kind) if lane.startswith(EVERYBODY) else Note(step, lane, text, kind)


def _labelled(plain: PlainTrace) -> Iterator[Row]:
    before: Values = plain.initial
    for number, step in enumerate(plain.steps, start=1):
        yield Note(number, "", step.label, LABEL)
        yield from _changed(number, before, step)
        before = step.values


def _changed(number: int, before: Values, step: PlainStep) -> Iterator[Row]:
    found = [str(change) for change in changes(before, step.values)]
    shown = found if len(found) <= MOST_CHANGES else [*found[: MOST_CHANGES - 1], f"and {len(found) - 3} more changes"]
    for text in shown:
        yield Note(number, "", text, CHANGE)
