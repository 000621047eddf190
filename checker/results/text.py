"""The text of a trace: numbered steps, their narration, their changes, and why the end is wrong."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from .plain import Tree, scalar, show, show_changed, show_short
from .verdict import Kind

if TYPE_CHECKING:
    from .changes import Change
    from .plain_trace import PlainStep, PlainTrace, Values
    from .trace import Trace

TEMPORAL = Kind.TEMPORAL.value
AGAIN = "false in"
"""The key in a witness for the state or step of a trace's cycle that breaks a stability property."""
FORMULA = "formula"
"""The key in a witness for a temporal formula that is false on the trace."""
UNFAIR = "enabled, but not fair"
"""The key in a witness for the actions that could continue a trace that stops."""
WIDTH = 100
"""Characters of a line, where the width of the terminal is not known."""
MANY = 8
"""The number of variables up to which each has a line of its own."""
Detail = Literal["brief", "normal", "full"]
Paint = Callable[[str, str], str]
"""Colours a text for its role: title, number, action, story (narration), place, old, new, wrong or faint."""


def plain(role: str, text: str) -> str:
    """No colours."""
    return text


def render(
    given: Trace | PlainTrace,
    paint: Paint = plain,
    detail: Detail = "full",
    hide: Collection[str] = (),
    width: int = WIDTH,
) -> str:
    """The whole text of a trace; it ends with a line break.

    `brief` shows the narration of each step (its changes, if there is none). `normal` also shows the changes, those of
    one element in one line; of a step with narration only the changes of variables that the violated property reads.
    `full` shows each change in a line of its own, and the initial state. `hide` names variables that are not shown.
    """
    from .plain_trace import PlainTrace, plain_trace_of

    trace = given if isinstance(given, PlainTrace) else plain_trace_of(given)
    return "\n".join(line.rstrip() for line in _Writer(paint, detail, hide, width).lines(trace)) + "\n"


def headline(trace: PlainTrace) -> str:
    """What the trace shows, in one line."""
    steps = count(trace.length, "step")
    if not trace.shows:
        return f"A trace of {steps}"
    if trace.failing:
        return f"{trace.failing} fails in step {trace.length}: {trace.explanation}"
    if trace.kind == "deadlock":
        why = f": {trace.explanation}" if trace.explanation else ""
        return f"Deadlock after {steps}{why}" if trace.steps else f"Deadlock in an initial state{why}"
    name = f"{named_kind(trace.kind)}{trace.shows}"
    if trace.kind == "error in a property":
        where = f"after {steps}" if trace.steps else "in an initial state"
        return f"{name} cannot be evaluated {where}: {trace.explanation}"
    if trace.kind == TEMPORAL:
        how = f"violated by a trace of {steps}"
    elif trace.kind == Kind.TRAPPED.value:
        how = f"cannot be reached any more {f'after {steps}' if trace.steps else 'from an initial state'}"
    else:
        how = f"violated after {steps}" if trace.steps else "violated in an initial state"
    return f"{name} {how}{expected(trace.explanation)}"


def expected(sentence: str) -> str:
    """The author's sentence on a property, after its outcome."""
    return f". Expected: {sentence}" if sentence else ""


def named_kind(kind: str) -> str:
    """The prefix for a property: `Invariant `; empty for a kind without a word of its own."""
    return {
        Kind.INVARIANT.value: "Invariant ",
        Kind.STEP_INVARIANT.value: "Action property ",
        Kind.REFINEMENT.value: "Refinement ",
        TEMPORAL: "Temporal property ",
    }.get(kind, "")


def returns(trace: PlainTrace) -> str:
    """How an infinite trace continues."""
    if trace.closing:
        return f"back to state {trace.loop}, and so on for ever"
    if trace.kind == TEMPORAL:
        return "and from here on nothing happens any more"
    return f"and from here back to state {trace.loop}, for ever"


def count(number: int, noun: str) -> str:
    """1 step, 2 steps, 1,161,192 states."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def beside(trace: PlainTrace, number: int) -> list[str]:
    """The abstract state at a moment of a trace: all its values, or from the second one on the changes."""
    from .changes import changes

    if not trace.abstract:
        return []
    now, past = trace.beside[number], trace.beside[number - 1] if number else None
    if now is None:
        return ["(no state: the mapping fails)"]
    if past is None:
        return [f"{name} = {show(value)}" for name, value in now.items()]
    return [str(change) for change in changes(past, now)] or ["(nothing changes)"]


def narrated(event: dict[str, Any]) -> str:
    """One line of narration: `producer -> broker: append b0`, `-x` when it is lost, `broker: ...` for a note."""
    source, target, at = event.get("source"), event.get("target"), event.get("at")
    arrow = "-x" if event.get("lost") else "->"
    who = f"{source} {arrow} {target}" if source and target else source or target or at
    return f'"{who}: {event["text"]}"' if who else f'"{event["text"]}"'


class _Writer:
    """The lines of a trace."""

    def __init__(self, paint: Paint, detail: Detail, hide: Collection[str], width: int) -> None:
        self.paint, self.detail, self.hide, self.width = paint, detail, hide, width

    def lines(self, trace: PlainTrace) -> Iterator[str]:
        paint, count_width = self.paint, max(3, len(str(trace.length)) + 1)
        yield from (paint("title", line) for line in wrapped(headline(trace), self.width))
        constants = show_changed(trace.constants)
        if trace.target or constants:
            line = f"{trace.target} {f'with {constants}' if constants else ''}".strip()
            yield from (paint("faint", line) for line in wrapped(line, self.width, indent="  "))
        yield ""
        margin = " " * (count_width + 3)

        def numbered(number: int, text: str, role: str = "action") -> str:
            return f"{paint('number', f'{number:>{count_width}}.')} {paint(role, text)}"

        if self.detail == "full" or not any(step.narration for step in trace.steps):
            yield numbered(0, "initial state", "faint")
            yield from self._values(self._shown(trace.initial), margin)
        else:
            yield numbered(0, "initial state (-v shows it, and all changes)", "faint")
        yield from self._beside(trace, 0, margin)
        before = trace.initial
        for number, step in enumerate(trace.steps, start=1):
            yield from self._label(numbered(number, step.label), len(margin + step.label), step, margin)
            yield from self._step(step, before, margin, self._read(trace, before))
            yield from self._beside(trace, number, margin)
            before = step.values
        if trace.failing:
            yield numbered(trace.length, trace.failing)
            yield f"{margin}{paint('wrong', 'fails: ' + trace.explanation)}"
        if trace.closing:
            yield numbered(trace.length, trace.closing)
        if trace.loop is not None:
            yield f"{margin}{returns(trace)}"
        yield from self._end(trace, before)

    def _shown(self, values: Values) -> dict[str, Tree]:
        return {name: value for name, value in values.items() if name not in self.hide}

    def _label(self, label: str, taken: int, step: PlainStep, margin: str) -> Iterator[str]:
        """A step and its narration: as many sentences as fit beside it, and a line for each of the others."""
        texts = list(map(narrated, step.narration))
        while texts and self.detail != "full" and (taken := taken + 2 + len(texts[0])) <= self.width:
            label += f"  {self.paint('story', texts.pop(0))}"
        yield label
        yield from (margin + self.paint("story", text) for text in texts)

    def _read(self, trace: PlainTrace, values: Values) -> Collection[str]:
        """The variables that the violated property reads; all where that is not known."""
        read = trace.witness.keys() & values.keys() if trace.kind == Kind.INVARIANT.value else ()
        return read or values.keys()

    def _step(self, step: PlainStep, before: Values, margin: str, read: Collection[str]) -> Iterator[str]:
        from .changes import changes

        if step.narration and self.detail == "brief":
            return
        found = changes(self._shown(before), self._shown(step.values))
        if self.detail == "full":
            yield from (margin + self._change(change) for change in found)
        elif step.narration:
            named = [change for change in found if re.split(r"[.\[]", change.path)[0] in read]
            texts = (f"{element}{fields}" for element, fields in _by_element(named))
            for line in wrapped("; ".join(texts), self.width - len(margin), indent="  ") if named else ():
                yield margin + self.paint("faint", line)
        else:
            yield from self._together(found, margin)
        if not found:
            yield margin + self.paint("faint", "(nothing changes)")

    def _together(self, found: list[Change], margin: str) -> Iterator[str]:
        """A line for the changes of each element."""
        for element, fields in _by_element(found):
            first, *more = wrapped(fields, self.width, len(margin) + len(element), margin + "    ")
            yield f"{margin}{self.paint('place', element)}{first}"
            yield from more

    def _beside(self, trace: PlainTrace, number: int, margin: str) -> Iterator[str]:
        for line in beside(trace, number):
            yield f"{margin}{self.paint('faint', f'{trace.abstract}:')} {line}"

    def _change(self, change: Change) -> str:
        place = self.paint("place", change.path + ":")
        if change.event:
            return f"{place} {self.paint('new', change.event)}"
        return f"{place} {self.paint('old', change.old)} -> {self.paint('new', change.new)}"

    def _values(self, values: Values, margin: str) -> Iterator[str]:
        """A line for each variable; where there are many, the short ones share lines."""
        given = show if self.detail == "full" else show_short
        shown = {name: given(value) for name, value in values.items()}
        if self.detail == "full" or len(shown) <= MANY:
            width = max(map(len, shown), default=0)
            for name, text in shown.items():
                yield from self._assigned(f"{name:<{width}}", text, margin)
            return
        short = ""
        for name, text in shown.items():
            part = f"{name} = {text}"
            if short and len(margin) + len(short) + 2 + len(part) > self.width:
                yield margin + short
                short = ""
            if len(margin) + len(part) > self.width:
                yield from self._assigned(name, text, margin)
            else:
                short = f"{short}, {part}" if short else part
        if short:
            yield margin + short

    def _assigned(self, name: str, text: str, margin: str) -> Iterator[str]:
        first, *more = wrapped(text, self.width, len(margin) + len(name) + 3, margin + "    ")
        yield f"{margin}{self.paint('place', name)} = {first}"
        yield from more

    def _end(self, trace: PlainTrace, last: Values) -> Iterator[str]:
        if not trace.shows or trace.failing:
            return
        if trace.kind == "deadlock":
            if self.detail == "brief":
                return
            yield ""
            yield self.paint("wrong", f"{trace.explanation or 'no action is enabled'} in the last state:")
            yield from self._values(self._shown(last), "  ")
            return
        yield ""
        yield self.paint("wrong", f"{trace.shows} {_wrong(trace)}{':' if trace.witness else ''}")
        witness = {name: scalar(value) for name, value in trace.witness.items()}
        yield from self._values(self._shown(witness), "  ")
        for name in dict.fromkeys(RECORD.findall(" ".join(map(show, witness.values())))):
            if name in trace.classes:
                line = f"  {name}: {trace.classes[name]}"
                yield from (self.paint("faint", part) for part in wrapped(line, self.width, indent="    "))


def _by_element(found: list[Change]) -> Iterator[tuple[str, str]]:
    """Changed elements with the changes in each, such as the fields of a record."""
    by_element: dict[str, list[Change]] = {}
    for change in found:
        element, dot, _ = change.path.rpartition(".")
        by_element.setdefault(element if dot else change.path, []).append(change)
    for element, some in by_element.items():
        if len(some) == 1:
            yield some[0].path, str(some[0]).removeprefix(some[0].path)
            continue
        fields = (replace(change, path=change.path.removeprefix(f"{element}.")) for change in some)
        yield element, ": " + ", ".join(f"{f.path} {f.event or f'{f.old} -> {f.new}'}" for f in fields)


def wrapped(text: str, width: int, first: int = 0, indent: str = "") -> list[str]:
    """A text in lines of a width, broken at blanks: `first` columns of the first are taken, the others are indented."""
    rules = {"break_long_words": False, "break_on_hyphens": False, "subsequent_indent": indent}
    lines = textwrap.wrap(text, width, initial_indent=" " * first, **rules) or [" " * first]  # type: ignore[arg-type]
    return [lines[0][first:], *lines[1:]]


def _wrong(trace: PlainTrace) -> str:
    if trace.kind == TEMPORAL:
        if FORMULA in trace.witness:
            return "is false of this behaviour, which is fair"
        again = AGAIN in trace.witness
        return f"{'becomes false again and again' if again else 'stays false'}, and the behaviour is fair"
    if trace.kind == Kind.TRAPPED.value:
        return "cannot be reached from the last state"
    if trace.kind == "error in a property":
        return f"cannot be evaluated in the last state ({trace.explanation})"
    if trace.kind == Kind.REFINEMENT.value:
        return f"fails: {'the last step is no step' if trace.steps else 'it is no initial state'} of {trace.abstract}"
    return "is false for the last step" if trace.kind == "step invariant" else "is false in the last state"


VARYING = re.compile(r"(?:[a-z-]+ )?\d+\.\d\d s\b|[\d.]+[kM]? \w+/s\b|\b\d+ bytes/state")
"""What differs from run to run. Where lines are broken it is as wide as its longest form: breaks do not move."""
_NUMBER = re.compile(r"[\d.]+[kM]?")
ESCAPE = re.compile(r"\x1b\[[\d;]*m")
RECORD = re.compile(r"\b(\w+)\(")
COLUMN = re.compile(r"\S {2,}(?=\S)")


def folded(line: str, width: int) -> str:
    """A line in pieces of at most `width` columns; the others begin below the last column that begins on the left."""
    if _columns(line) <= width:
        return line
    left = len(line) - len(line.lstrip(" "))
    plain_line = ESCAPE.sub("", line)
    ends = [found.end() for found in COLUMN.finditer(plain_line) if found.end() <= width // 2]
    indent = " " * (max(ends) if ends else left + 2)
    pieces, piece = list[str](), ""
    for word in re.split(r"(?<=\S) (?=\S)", VARYING.sub(lambda found: found[0].replace(" ", "\0"), line)):
        if piece.strip() and _columns(f"{piece} {word}") > width:
            pieces.append(piece)
            piece = indent + word
        else:
            piece = f"{piece} {word}" if piece else word
    return "\n".join([*pieces, piece]).replace("\0", " ")


def _columns(line: str) -> int:
    """The width of a line in which varying numbers have their longest form."""
    shown = ESCAPE.sub("", line.replace("\0", " "))
    return len(shown) + sum(max(0, 6 - len(_NUMBER.findall(found[0])[0])) for found in VARYING.finditer(shown))
