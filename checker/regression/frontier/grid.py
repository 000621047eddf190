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
    """One constant, its values, and its description by the author."""

    name: str
    values: tuple[int, ...]
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
    """One cell: the values of x and y, and the outcome."""

    x: int
    y: int
    outcome: Outcome
    finding: Finding


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


def axis(text: str, words: str = "") -> Axis:
    """The axis of NAME=LO..HI; E428 when it is none."""
    match = AXIS.fullmatch(text)
    if match is None:
        raise EverystateError("E428", None, text=text, reason="it is not of the form NAME=LO..HI")
    low, high = int(match[2]), int(match[3] or match[2])
    if high < low:
        raise EverystateError("E428", None, text=text, reason=f"{high} is less than {low}")
    if high - low >= MOST_CELLS:
        raise EverystateError("E428", None, text=text, reason=f"it has more than {MOST_CELLS:,} values")
    return Axis(match[1], tuple(range(low, high + 1)), words)


def explore(question: Question, x: Axis, y: Axis, runner: Runner, notify: Tell) -> Grid:
    """Check every cell of a grid, row by row."""
    if x.name == y.name:
        raise EverystateError("E428", None, text=f"{y.name}=...", reason="both axes are the same constant")
    if len(x.values) * len(y.values) > MOST_CELLS:
        raise EverystateError("E428", None, text=f"{y.name}=...", reason=f"the grid has more than {MOST_CELLS:,} cells")
    places = [(a, b) for b in y.values for a in x.values]
    outcomes = make(runner, [_job(question, {x.name: a, y.name: b}) for a, b in places], notify)
    found = zip(places, outcomes, strict=True)
    return Grid(question, x, y, tuple(Cell(*place, outcome, _finding(question, outcome)) for place, outcome in found))


def _job(asked: Question, place: dict[str, int]) -> Job:
    """The check of one cell."""
    name = " ".join(f"{constant}={value}" for constant, value in place.items())
    return Job(name, asked.target, {**asked.constants, **place}, asked.allowance, asked.cache, asked.forms)


def _finding(asked: Question, outcome: Outcome) -> Finding:
    """What an outcome says of the selected property."""
    if not asked.property:
        return outcome.overall()
    found, error = outcome.of(asked.property), outcome.of("error")
    if found.status == PROVED and error.status == VIOLATED:
        return Finding(UNDECIDED, None, f"an action fails after {error.length} steps")
    return found


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
