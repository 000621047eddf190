"""Evidence on a trace from other sources, for its page: columns such as model, cluster and audit, and step by step.

The source of the evidence supplies the texts; the page knows nothing of clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..checker.pages import fragment


@dataclass(frozen=True)
class Cell:
    """A position in a log; `look` is "twice" for a record that is elsewhere too, "gone" for a deleted one."""

    offset: int
    text: str
    look: str = ""


@dataclass(frozen=True)
class Column:
    """One source: its texts, its logs by name, and pictures as SVG. `look` is good, wrong or unknown."""

    title: str
    said: tuple[str, ...]
    logs: tuple[tuple[str, tuple[Cell, ...]], ...] = ()
    pictures: tuple[str, ...] = ()
    look: str = "good"


@dataclass(frozen=True)
class ComparedValue:
    """A change of a step, or a difference after it, on two sides."""

    name: str
    left: str
    right: str
    differs: bool


@dataclass(frozen=True)
class Evidence:
    """All columns and steps; `sides` name what is compared after each step, the initial state first."""

    verdict: str
    columns: tuple[Column, ...]
    sides: tuple[str, str]
    steps: tuple[tuple[ComparedValue, ...], ...] = field(default=())
    look: str = "good"


def section(evidence: Evidence) -> str:
    """The columns as HTML."""
    return fragment("everystate.counterexamples.page/evidence.html", evidence=evidence)


def as_data(evidence: Evidence | None) -> dict[str, Any] | None:
    """What is shown step by step, for the script of the page."""
    if evidence is None:
        return None
    steps = [[[row.name, row.left, row.right, row.differs] for row in rows] for rows in evidence.steps]
    return {"heads": list(evidence.sides), "steps": steps}
