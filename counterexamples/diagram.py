"""Diagram: what a sequence diagram shows of a story, without any geometry.

A diagram is a list of rows, each of one event: a message between two lanes, a note on a lane, or a line over
all lanes. Every reader of it (SVG, Mermaid, ShiViz) draws one row after the other, so nothing can overlap.
A story without narration gets one lane, with the label of each action and what it changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..checker.results.changes import changes
from ..checker.results.plain import show_changed
from ..checker.results.story import PlainStep, PlainTrace, Values, story_of
from ..checker.results.text import headline
from ..checker.results.trace import Trace
from .messages import CHANGE, LABEL, MARK, NOTE, Message, Note, Row, follow
from .wording import broken_words

MARK_WORDS = re.compile(
    r"\b(crash\w*|truncates|restarts?|elected|leads?|takes over|expires?|deletes?|deleted|time-?outs?|timed out"
    r"|timeout|passes|in-sync|rolls?|remembers|aborts?|commits?)\b",
    re.IGNORECASE,
)
"""Words of events that happen to an actor rather than being its answer to a message."""
FIRST = ("application", "client", "producer")
"""Actors that stand on the left."""
EVERYBODY = ("every ", "all ")
"""How the name of a group of actors begins: what happens to it is told over all lanes."""
MOST_CHANGES = 4
"""Lines of changes under an action that does not narrate."""


@dataclass(frozen=True)
class Diagram:
    """A story as rows; `broken` says in words what is wrong at the end, empty when nothing is."""

    title: str
    subtitle: str
    lanes: tuple[str, ...]
    rows: tuple[Row, ...]
    steps: int
    broken: tuple[str, ...] = ()


def diagram_of(told: Trace | PlainTrace) -> Diagram:
    """The diagram of a trace."""
    story = story_of(told) if isinstance(told, Trace) else told
    narrates = any(beat.narration for beat in story.beats)
    rows = list(_narrated(story) if narrates else _labelled(story))
    if story.failing:
        rows.append(Note(story.length, "", story.failing, LABEL))
    if story.closing:
        rows.append(Note(story.length, "", f"{story.closing}, back to state {story.loop}", LABEL))
    title = f"{story.target}: {headline(story)}" if story.target else headline(story)
    lanes = _lanes(rows) if narrates else ()
    broken = tuple(broken_words(story))
    return Diagram(title, _constants(story), lanes, tuple(follow(rows)), story.length, broken)


def _constants(story: PlainTrace) -> str:
    """The constants that differ from their defaults."""
    changed = show_changed(story.constants)
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


def _narrated(story: PlainTrace) -> Iterator[Row]:
    for step, beat in enumerate(story.beats, start=1):
        if not beat.narration:
            yield Note(step, "", beat.label, LABEL)
        for event in beat.narration:
            yield _row(step, event)


def _row(step: int, event: dict[str, object]) -> Row:
    text, source, target = (str(event.get(name) or "") for name in ("text", "source", "target"))
    if source and target:
        return Message(step, source, target, text, bool(event.get("lost")))
    lane = source or target or str(event.get("at") or "")
    kind = MARK if MARK_WORDS.search(text) else NOTE
    return Note(step, "", f"{lane}: {text}", kind) if lane.startswith(EVERYBODY) else Note(step, lane, text, kind)


def _labelled(story: PlainTrace) -> Iterator[Row]:
    before: Values = story.initial
    for step, beat in enumerate(story.beats, start=1):
        yield Note(step, "", beat.label, LABEL)
        yield from _changed(step, before, beat)
        before = beat.values


def _changed(step: int, before: Values, beat: PlainStep) -> Iterator[Row]:
    found = [str(change) for change in changes(before, beat.values)]
    shown = found if len(found) <= MOST_CHANGES else [*found[: MOST_CHANGES - 1], f"and {len(found) - 3} more changes"]
    for text in shown:
        yield Note(step, "", text, CHANGE)
