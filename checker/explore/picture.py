"""A small state graph as a picture: where each state lies, what leads where, and which states violate something.

States lie in rows by their distance from the beginnings, each near the middle of those that lead to it. That is all the
geometry there is; the page draws it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from ..language.concrete import StepFailed, attempts, outside
from ..language.spec import Spec
from ..language.state import State
from ..results.changes import changes
from ..results.plain import trees_of
from . import truth
from .moves import Key

MOST = 300
"""States of a graph that is still drawn."""
SWEEPS = 4
LINES, SIGNS = 3, 24
"""The size of a label."""
FAULT = "error"
"""What is broken in a state that has a step which fails."""


@dataclass
class PictureState:
    """A state in the picture: `way` is the address of a shortest walk to it, `broken` what is violated in it.

    `label` tells it from others: the variables that differ between states or, if these are many, what its step changed.
    """

    state: State
    way: str
    row: int
    broken: list[str]
    column: float = 0.0
    stuck: bool = False
    label: list[str] = field(default_factory=list)


@dataclass
class Picture:
    """A graph; `edges` are (from, to, labels). Empty, with `more` True, where there are too many states.

    `varying` says that the labels are the variables that differ.
    """

    spots: list[PictureState] = field(default_factory=list)
    edges: list[tuple[int, int, list[str]]] = field(default_factory=list)
    more: bool = False
    varying: bool = False


def picture(spec: Spec, beginnings: list[State], most: int = MOST) -> Picture:
    """The graph of all states that can be reached from some, if there are not too many."""
    numbers: dict[State, int] = {}
    found = Picture()
    waiting: deque[int] = deque()
    labels: dict[tuple[int, int], list[str]] = {}

    def enter(state: State, way: str, row: int, before: State | None) -> int:
        if state not in numbers:
            numbers[state] = len(numbers)
            label = [] if before is None else _changes(before, state)
            found.spots.append(PictureState(state, way, row, truth.breaks_alone(spec, state), label=label))
            waiting.append(numbers[state])
        if before is not None:
            spot = found.spots[numbers[state]]
            spot.broken += [name for name in truth.breaks_step(spec, state, before) if name not in spot.broken]
        return numbers[state]

    for index, state in enumerate(beginnings):
        enter(state, str(index), 0, None)
        found.spots[numbers[state]].broken += truth.begins_wrong(spec, state)
    while waiting:
        if len(numbers) > most:
            return Picture(more=True)
        at = waiting.popleft()
        spot = found.spots[at]
        if outside(spec, spot.state):
            continue
        steps, fails = _steps(spec, spot.state)
        spot.stuck = not fails
        spot.broken += [FAULT] if fails else []
        for (number, attempt), label, state in steps:
            word = f"{number}.{attempt}" if attempt else str(number)
            there = enter(state, f"{spot.way},{word}", spot.row + 1, spot.state)
            labels.setdefault((at, there), []).append(label)
            spot.stuck = False
    found.edges = [(a, b, texts) for (a, b), texts in labels.items()]
    _arrange(found)
    _label(found)
    return found


def _changes(before: State, after: State) -> list[str]:
    """What a step changed, each with its new value."""
    found = changes(trees_of(before), trees_of(after))
    return [_short(change.path, change.new) if change.new else _cut(str(change), SIGNS) for change in found]


def _short(name: str, value: str) -> str:
    """A value in a line of a label; the name is cut first."""
    name = _cut(name, max(SIGNS - len(f" = {value}"), SIGNS // 2))
    return _cut(f"{name} = {value}", SIGNS)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}\u2026"


def _label(found: Picture) -> None:
    """Show the variables that differ in each state, if they are few."""
    shown = [spot.state.shown() for spot in found.spots]
    differing = [name for name in shown[0] if len({values[name] for values in shown}) > 1]
    found.varying = len(differing) <= LINES
    for spot, values in zip(found.spots, shown, strict=True):
        lines = [_short(name, values[name]) for name in differing] if found.varying else spot.label
        spot.label = lines if len(lines) <= LINES else [*lines[: LINES - 1], f"{len(lines) - LINES + 1} more"]


def _steps(spec: Spec, state: State) -> tuple[list[tuple[Key, str, State]], bool]:
    """The steps of a state, and whether one fails."""
    found, fails = list[tuple[Key, str, State]](), False
    for number, instance in enumerate(spec.instances):
        for at, step in enumerate(attempts(spec, state, instance)):
            if isinstance(step, StepFailed):
                fails = True
            else:
                found.append(((number, at), step.label, step.state))
    return found, fails


def _arrange(found: Picture) -> None:
    """Give each state its column: by the middle of its neighbours, a few times down and up."""
    rows: dict[int, list[int]] = {}
    for at, spot in enumerate(found.spots):
        rows.setdefault(spot.row, []).append(at)
    near: dict[int, list[int]] = {at: [] for at in range(len(found.spots))}
    for a, b, _ in found.edges:
        if found.spots[a].row != found.spots[b].row:
            near[a].append(b)
            near[b].append(a)
    for sweep in range(SWEEPS):
        order = sorted(rows) if sweep % 2 == 0 else sorted(rows, reverse=True)
        for row in order:
            middle = {at: _middle(found, near[at], at) for at in rows[row]}
            rows[row].sort(key=lambda at: middle[at])
            for place, at in enumerate(rows[row]):
                found.spots[at].column = place - (len(rows[row]) - 1) / 2


def _middle(found: Picture, near: list[int], at: int) -> float:
    columns = [found.spots[other].column for other in near]
    return sum(columns) / len(columns) if columns else found.spots[at].column
