"""The text of a trace: numbered steps, what each says, what it changed, and why the end is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .plain import scalar, show, show_constants
from .verdict import Kind

if TYPE_CHECKING:
    from .changes import Change
    from .story import Beat, Story, Values
    from .trace import Trace

TEMPORAL = Kind.TEMPORAL.value
UNEXPLAINED = "it is false"
"""Why a property fails whose author has not said what it means."""
AGAIN = "false in"
"""What the witness of a behaviour calls the state or step of its cycle that breaks what is to be stable."""
FORMULA = "formula"
"""What the witness of a behaviour calls a temporal formula that is false of it."""
UNFAIR = "enabled, but not fair"
"""What the witness of a behaviour that stops calls the actions that could go on."""
Paint = Callable[[str, str], str]
"""Colours a text for its role: title, number, action, story, place, old, new, wrong or faint."""


def plain(role: str, text: str) -> str:
    """No colours."""
    return text


def render(told: Trace | Story, paint: Paint = plain) -> str:
    """The whole text of a trace; it ends with a line break."""
    from .story import Story, story_of

    story = told if isinstance(told, Story) else story_of(told)
    return "\n".join(line.rstrip() for line in _lines(story, paint)) + "\n"


def headline(story: Story) -> str:
    """What the trace shows, in one line."""
    steps, why = count(story.length, "step"), f": {story.explanation}" if story.explanation else ""
    if not story.shows:
        return f"a behaviour of {steps}"
    if story.failing:
        return f"step {story.length} fails{why}"
    if story.kind == "deadlock":
        return f"deadlock after {steps}{why}"
    if story.kind == TEMPORAL:
        return f"{story.shows} fails on a behaviour of {steps}{why}"
    if story.kind == Kind.TRAPPED.value:
        where = f"after {steps}" if story.beats else "from an initial state"
        return f"{story.shows} cannot be reached any more {where}{why}"
    fails = "cannot be evaluated" if story.kind == "error in a property" else "fails"
    return f"{story.shows} {fails} {f'after {steps}' if story.beats else 'in an initial state'}{why}"


def returns(story: Story) -> str:
    """How a behaviour without end goes on."""
    if story.closing:
        return f"back to state {story.loop}, and so on for ever"
    if story.kind == TEMPORAL:
        return "and from here on nothing happens any more"
    return f"and from here back to state {story.loop}, for ever"


def count(number: int, noun: str) -> str:
    """1 step, 2 steps, 1,161,192 states."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _lines(story: Story, paint: Paint) -> Iterator[str]:
    yield paint("title", headline(story))
    if story.target or story.constants:
        constants = f"with {show_constants(story.constants)}" if story.constants else ""
        yield paint("faint", f"{story.target} {constants}".strip())
    yield ""
    width = max(3, len(str(story.length)) + 1)
    margin = " " * (width + 3)
    yield f"{paint('number', f'{0:>{width}}.')} {paint('faint', 'initial state')}"
    yield from _values(story.initial, margin, paint)
    yield from _beside(story, 0, margin, paint)
    before = story.initial
    for number, beat in enumerate(story.beats, start=1):
        yield f"{paint('number', f'{number:>{width}}.')} {paint('action', beat.label)}"
        yield from _step(beat, before, margin, paint)
        yield from _beside(story, number, margin, paint)
        before = beat.values
    if story.failing:
        yield f"{paint('number', f'{story.length:>{width}}.')} {paint('action', story.failing)}"
        yield f"{margin}{paint('wrong', 'fails: ' + story.explanation)}"
    if story.closing:
        yield f"{paint('number', f'{story.length:>{width}}.')} {paint('action', story.closing)}"
    if story.loop is not None:
        yield f"{margin}{returns(story)}"
    yield from _end(story, before, paint)


def _step(beat: Beat, before: Values, margin: str, paint: Paint) -> Iterator[str]:
    from .changes import changes

    for event in beat.narration:
        yield margin + paint("story", narrated(event))
    found = changes(before, beat.values)
    for change in found:
        yield margin + _change(change, paint)
    if not found:
        yield margin + paint("faint", "(nothing changes)")


def beside(story: Story, number: int) -> list[str]:
    """What a moment of a story is in the abstract spec: all its values, or from the second one on what has changed."""
    from .changes import changes

    if not story.abstract:
        return []
    now, past = story.beside[number], story.beside[number - 1] if number else None
    if now is None:
        return ["(no state: the mapping fails)"]
    if past is None:
        return [f"{name} = {show(value)}" for name, value in now.items()]
    return [str(change) for change in changes(past, now)] or ["(nothing changes)"]


def _beside(story: Story, number: int, margin: str, paint: Paint) -> Iterator[str]:
    for line in beside(story, number):
        yield f"{margin}{paint('faint', f'{story.abstract}:')} {line}"


def narrated(event: dict[str, Any]) -> str:
    """One line of narration: `producer -> broker: append b0`, `-x` when it is lost, `broker: ...` for a note."""
    source, target, at = event.get("source"), event.get("target"), event.get("at")
    arrow = "-x" if event.get("lost") else "->"
    who = f"{source} {arrow} {target}" if source and target else source or target or at
    return f'"{who}: {event["text"]}"' if who else f'"{event["text"]}"'


def _change(change: Change, paint: Paint) -> str:
    place = paint("place", change.path + ":")
    if change.event:
        return f"{place} {paint('new', change.event)}"
    return f"{place} {paint('old', change.old)} -> {paint('new', change.new)}"


def _values(values: Values, margin: str, paint: Paint) -> Iterator[str]:
    width = max((len(name) for name in values), default=0)
    for name, value in values.items():
        yield f"{margin}{paint('place', f'{name:<{width}}')} = {show(value)}"


def _end(story: Story, last: Values, paint: Paint) -> Iterator[str]:
    if not story.shows or story.failing:
        return
    yield ""
    if story.kind == "deadlock":
        yield paint("wrong", f"{story.explanation or 'no action is enabled'} in the last state:")
        yield from _values(last, "  ", paint)
        return
    yield paint("wrong", f"{story.shows} {_wrong(story)}{':' if story.witness else ''}")
    witness = {name: scalar(value) for name, value in story.witness.items()}
    yield from _values(witness, "  ", paint)


def _wrong(story: Story) -> str:
    if story.kind == TEMPORAL:
        if FORMULA in story.witness:
            return "is false of this behaviour, which is fair"
        again = AGAIN in story.witness
        return f"{'becomes false again and again' if again else 'stays false'}, and the behaviour is fair"
    if story.kind == Kind.TRAPPED.value:
        return "cannot be reached from the last state"
    if story.kind == "error in a property":
        return f"cannot be evaluated in the last state ({story.explanation})"
    if story.kind == Kind.REFINEMENT.value:
        return f"fails: {'the last step is no step' if story.beats else 'it is no initial state'} of {story.abstract}"
    return "is false for the last step" if story.kind == "step invariant" else "is false in the last state"
