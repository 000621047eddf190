"""A trace as a Mermaid sequence diagram, as GitHub and GitLab draw it in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..results.story import story_of
from ..results.text import headline
from ..results.trace import Trace

MOST = 60
"""Steps that are drawn; of a longer trace the last ones."""


def diagram(trace: Trace) -> str:
    """The text of the diagram, without the fence."""
    events = [(number, step.label, step.narration) for number, step in enumerate(trace.steps, start=1)][-MOST:]
    told = [event for _, _, narration in events for event in narration]
    names = dict.fromkeys(event[end] for event in told for end in ("source", "target", "at") if event.get(end))
    everyone = list(names) or ["spec"]
    lines = ["sequenceDiagram", *(f"    participant {_id(name)} as {_safe(name)}" for name in everyone)]
    for number, label, narration in events:
        lines += [f"    {line}" for line in _step(number, label, narration, everyone)]
    lines.append(f"    Note over {_span(everyone)}: {_safe(headline(story_of(trace)))}")
    return "\n".join(lines) + "\n"


def _step(number: int, label: str, narration: tuple[dict[str, Any], ...], everyone: list[str]) -> Iterator[str]:
    if not narration:
        yield f"Note over {_span(everyone)}: {number}. {_safe(label)}"
    for event in narration:
        text = f"{number}. {_safe(str(event['text']))}"
        source, target = event.get("source"), event.get("target")
        if source and target:
            yield f"{_id(source)}{'-x' if event.get('lost') else '->>'}{_id(target)}: {text}"
        else:
            yield f"Note over {_id(event['at']) if event.get('at') else _span(everyone)}: {text}"


def _span(everyone: list[str]) -> str:
    ends = dict.fromkeys((everyone[0], everyone[-1]))
    return ",".join(map(_id, ends))


def _id(name: str) -> str:
    """A name as an identifier that is no word of the diagram language."""
    return "p_" + "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)


def _safe(text: str) -> str:
    """A text without the characters that end or alter a line of the diagram."""
    codes = {"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;", "\n": " "}
    return "".join(codes.get(c, c) for c in text)
