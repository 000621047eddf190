"""The safety frontier: a whole grid of two constants, every cell checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import EverystateError
from ..runners.job import Allowance, Job
from ..runners.outcome import FORMS, PROVED, UNDECIDED, VIOLATED, Finding, Outcome
from ..runners.runner import Runner, Tell, make

AXIS = re.compile(r"\s*(\w+)\s*=\s*(-?\d+)\s*(?:\.\.\s*(-?\d+)\s*)?")
MOST_CELLS = 10_000


@dataclass(frozen=True)
class Axis:
    """One constant, its values, and its description by the author.

    `harder` is +1 or -1 where the user says that the property is monotone: a violation remains one when the constant
    grows (+1) or shrinks (-1); 0 when nothing is known.
    """

    name: str
    values: tuple[int, ...]
    harder: int = 0
    text: str = ""


@dataclass(frozen=True)
class Question:
    """What is checked in each cell: a target, the constants that are the same everywhere, one property or all; and the
    forms in which traces are wanted."""

    target: str
    constants: dict[str, Any] = field(default_factory=dict)
    property: str = ""
    allowance: Allowance = field(default_factory=Allowance)
    cache: bool = True
    forms: tuple[str, ...] = FORMS


@dataclass(frozen=True)
class Cell:
    """One cell: the values of x and y, and the outcome; `implied` where it follows from another cell."""

    x: int
    y: int
    outcome: Outcome
    finding: Finding
    implied: bool = False


@dataclass(frozen=True)
class Grid:
    """A grid that was checked."""

    question: Question
    x: Axis
    y: Axis
    cells: tuple[Cell, ...]

    def at(self, x: int, y: int) -> Cell:
        """The cell of two values."""
        return self.cells[self.y.values.index(y) * len(self.x.values) + self.x.values.index(x)]

    @property
    def decided(self) -> bool:
        """Whether every cell is proved or violated."""
        return all(cell.finding.status in (PROVED, VIOLATED) for cell in self.cells)


def axis(text: str, harder: int = 0, words: str = "") -> Axis:
    """The axis of NAME=LO..HI; E428 when it is none."""
    match = AXIS.fullmatch(text)
    if match is None:
        raise EverystateError("E428", None, text=text, reason="it is not of the form NAME=LO..HI")
    low, high = int(match[2]), int(match[3] or match[2])
    if high < low:
        raise EverystateError("E428", None, text=text, reason=f"{high} is less than {low}")
    if high - low >= MOST_CELLS:
        raise EverystateError("E428", None, text=text, reason=f"it has more than {MOST_CELLS:,} values")
    return Axis(match[1], tuple(range(low, high + 1)), harder, words)


def explore(question: Question, x: Axis, y: Axis, runner: Runner, notify: Tell) -> Grid:
    """Check every cell of a grid, row by row."""
    if x.name == y.name:
        raise EverystateError("E428", None, text=f"{y.name}=...", reason="both axes are the same constant")
    if len(x.values) * len(y.values) > MOST_CELLS:
        raise EverystateError("E428", None, text=f"{y.name}=...", reason=f"the grid has more than {MOST_CELLS:,} cells")
    places = [(a, b) for b in y.values for a in x.values]
    known = Known(question, x, y)
    jobs = [known.job(place) for place in places]
    order = sorted(range(len(places)), key=lambda i: known.rank(places[i])) if known.monotone else range(len(places))
    made = make(runner, [jobs[i] for i in order], known.watching(notify), known.implied)
    outcomes = dict(zip(order, made, strict=True))
    return Grid(question, x, y, tuple(known.cell(place, outcomes[i]) for i, place in enumerate(places)))


class Known:
    """The known outcomes, and those that follow from them where the user declares monotonicity."""

    def __init__(self, question: Question, x: Axis, y: Axis) -> None:
        self.question, self.x, self.y = question, x, y
        self.monotone = bool(x.harder or y.harder)
        self.found: dict[tuple[int, int], Finding] = {}
        self.inferred: set[tuple[int, int]] = set()

    def job(self, place: tuple[int, int]) -> Job:
        """The check of one cell."""
        constants = {**self.question.constants, self.x.name: place[0], self.y.name: place[1]}
        name, asked = f"{self.x.name}={place[0]} {self.y.name}={place[1]}", self.question
        return Job(name, asked.target, constants, asked.allowance, asked.cache, asked.forms)

    def place(self, job: Job) -> tuple[int, int]:
        """The cell of a check."""
        return job.constants[self.x.name], job.constants[self.y.name]

    def watching(self, notify: Tell) -> Tell:
        """Record each outcome that is reported."""

        def watched(job: Job, outcome: Outcome | None) -> None:
            if outcome is not None and self.place(job) not in self.inferred:
                self.found[self.place(job)] = self.finding(outcome)
            notify(job, outcome)

        return watched

    def finding(self, outcome: Outcome) -> Finding:
        """What an outcome says of the selected property."""
        if not self.question.property:
            return outcome.overall()
        found = outcome.of(self.question.property)
        error = outcome.of("error")
        if found.status == PROVED and error.status == VIOLATED:
            return Finding(UNDECIDED, None, f"an action fails after {error.length} steps")
        return found

    def implied(self, job: Job) -> Outcome | None:
        """An outcome without a check, if the cell follows from another one."""
        place = self.place(job)
        for other, finding in self.found.items():
            if finding.status == VIOLATED and self._harder(place, other):
                return self._inferred(job, f"follows from {self._shown(other)}", "VIOLATED", 12)
            if finding.status == PROVED and self._harder(other, place):
                return self._inferred(job, f"follows from {self._shown(other)}", "PROVED", 0)
        return None

    def _inferred(self, job: Job, reason: str, verdict: str, code: int) -> Outcome:
        self.inferred.add(self.place(job))
        report = {"target": job.target, "constants": job.constants, "verdict": verdict, "exit_code": code}
        return Outcome({**report, "violations": [], "implied": reason}, statement=f"{verdict}  {reason}")

    def _harder(self, place: tuple[int, int], other: tuple[int, int]) -> bool:
        """Whether a cell is at least as hard as another one."""
        pairs = zip(place, other, (self.x.harder, self.y.harder), strict=True)
        return self.monotone and all((a - b) * sign >= 0 if sign else a == b for a, b, sign in pairs)

    def _shown(self, place: tuple[int, int]) -> str:
        return f"{self.x.name}={place[0]}, {self.y.name}={place[1]}"

    def rank(self, place: tuple[int, int]) -> int:
        """The order of checks: cells in the middle decide most, so they come first."""
        positions = (self.x.values.index(place[0]), self.y.values.index(place[1]))
        return -sum(_halvings(at, len(a.values)) for at, a in zip(positions, (self.x, self.y), strict=True))

    def cell(self, place: tuple[int, int], outcome: Outcome) -> Cell:
        """One cell of the finished grid."""
        if place in self.inferred:
            status = VIOLATED if outcome.report["verdict"] == "VIOLATED" else PROVED
            return Cell(*place, outcome, Finding(status, None, outcome.report["implied"]), True)
        return Cell(*place, outcome, self.finding(outcome))


def _halvings(position: int, size: int) -> int:
    """How early a position is met when a range is halved again and again: larger is earlier."""
    left, right, depth = 0, size, 64
    while left < right:
        middle = (left + right) // 2
        if position == middle:
            return depth
        left, right = (left, middle) if position < middle else (middle + 1, right)
        depth -= 1
    return depth


def as_json(grid: Grid, traces: Sequence[dict[str, str]] = ()) -> dict[str, Any]:
    """The grid as one object; `traces` maps, for each cell, properties to the paths of their trace files."""
    paths: Sequence[dict[str, str]] = traces or [{}] * len(grid.cells)
    return {
        "target": grid.question.target,
        "property": grid.question.property or None,
        "x": {"name": grid.x.name, "values": list(grid.x.values)},
        "y": {"name": grid.y.name, "values": list(grid.y.values)},
        "cells": [_cell_json(cell, found) for cell, found in zip(grid.cells, paths, strict=True)],
    }


def _cell_json(cell: Cell, paths: dict[str, str]) -> dict[str, Any]:
    violations = [{**v, "trace": paths.get(v["property"], v.get("trace"))} for v in cell.outcome.report["violations"]]
    finding = {"status": cell.finding.status, "length": cell.finding.length, "reason": cell.finding.reason}
    return {**cell.outcome.report, "violations": violations, "x": cell.x, "y": cell.y, **finding}
