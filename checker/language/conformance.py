"""What a spec can be held against: the seam between a spec and that which drives the real thing beside it.

A spec names it, `conformance = "package.module:NAME"`; the object there is loaded when somebody asks. Questions and
answers are plain data, so a matrix, a test suite and the command line can ask in the same way.
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
"""What is said of a target that has no counterexample, where no walks are asked for."""
VERDICTS = (AGREED, DIFFERENT, NOT_JUDGED, NOTHING)


@dataclass(frozen=True)
class Question:
    """What is to be held against the real thing: a target with the constants that the user gives, and how far.

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
    """What became of a question: the verdict, a line that tells it, and of a difference the story and its steps.

    `against` names the real thing with its release. `missing`: it is not judged because this machine lacks something.
    """

    against: str
    verdict: str
    statement: str
    trace: str = ""
    steps: int | None = None
    missing: bool = False


@dataclass(frozen=True)
class ConformanceTools:
    """What the asker has: from a target and constants to a spec, and from a spec to the violations of its check."""

    load: Callable[[str, dict[str, Any]], Spec]
    violations: Callable[[Spec], Sequence[Any]]
    notify: Callable[[str], None] = lambda line: None


class Conformance(Protocol):
    """Drives the real thing, in its releases."""

    def releases(self, wanted: Sequence[str]) -> list[str]:
        """The releases of some names, the newest one where none is given; E701 when there is no such release."""

    def answers(self, release: str, questions: Sequence[Question], means: ConformanceTools) -> list[Answer]:
        """The answer to each question; an error of what drives is raised, and Ctrl-C."""


def conformance_of(spec: type[Spec]) -> Conformance | None:
    """What a spec can be held against; None where it names nothing."""
    module, _, name = spec.conformance.partition(":")
    if not module:
        return None
    found: Conformance = getattr(importlib.import_module(module), name)
    return found
