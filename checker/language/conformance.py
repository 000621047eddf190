"""The interface between a spec and the driver that compares it with the real system.

A spec names its driver, `conformance = "package.module:NAME"`; it is loaded on use. Questions and answers are plain
data, for the matrix, test suites and the command line alike.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .spec import Spec

AGREED, DIFFERENT, NOT_JUDGED = "agreed", "different", "not judged"
INTERRUPTED = "interrupted"
NOTHING = "nothing to drive"
"""The result for a target without counterexamples, where no walks are requested."""
VERDICTS = (AGREED, DIFFERENT, NOT_JUDGED, NOTHING)


@dataclass(frozen=True)
class Question:
    """What is to be compared with the real system: a target with the constants that the user gives, and how far.

    Its counterexamples are driven, and so many random walks of at most so many steps.
    """

    name: str
    target: str
    constants: dict[str, Any] = field(default_factory=dict)
    walks: int = 0
    steps: int = 60
    seed: int = 0
    faults: float = 0.15


@dataclass(frozen=True)
class Answer:
    """The result for a question: the verdict, a line that states it, and for a difference the trace and its steps.

    `against` names the real system with its release. `missing`: it is not judged because this machine lacks something.
    """

    against: str
    verdict: str
    statement: str
    trace: str = ""
    steps: int | None = None
    missing: bool = False


@dataclass(frozen=True)
class ConformanceTools:
    """What the caller supplies: functions from a target and constants to a spec, and from a spec to its violations."""

    load: Callable[[str, dict[str, Any]], Spec]
    violations: Callable[[Spec], Sequence[Any]]
    notify: Callable[[str], None] = lambda line: None


class Conformance(Protocol):
    """Drives the real system, in its releases."""

    def releases(self, wanted: Sequence[str]) -> list[str]:
        """The releases of some names, the newest one where none is given; E701 when there is no such release."""

    def answers(self, release: str, questions: Sequence[Question], means: ConformanceTools) -> list[Answer]:
        """The answer to each question; errors of the driver are raised, and Ctrl-C."""


def conformance_of(spec: type[Spec]) -> Conformance | None:
    """The driver that a spec names; None where it names none."""
    module, _, name = spec.conformance.partition(":")
    if not module:
        return None
    found: Conformance = getattr(importlib.import_module(module), name)
    return found
