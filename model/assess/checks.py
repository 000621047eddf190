"""What an assessment is made of: promises, failures, and the checks of a model that represent a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .settings import Settings


@dataclass(frozen=True)
class Check:
    """A check of a model; `findings` names the page for a property that fails.

    `only` names the properties that it judges, if not all: what else fails has another failure as its cause.
    """

    constants: dict[str, Any]
    findings: dict[str, str] = field(default_factory=dict)
    target: str = ""
    only: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command that makes this check."""
        return " ".join([f"everystate check {self.target}", *(f"-c {k}={v}" for k, v in self.constants.items())])


@dataclass(frozen=True)
class Promise:
    """What users rely on: its sentence, the property of the model, and what happens where it is broken."""

    text: str
    property: str
    broken: str


@dataclass(frozen=True)
class Failure:
    """Something that goes wrong: its sentence, its checks, and why it cannot happen or is not covered."""

    text: str
    checks: Callable[[Settings], list[Check]]
    impossible: Callable[[Settings], str] = lambda _: ""
    uncovered: Callable[[Settings], str] = lambda _: ""
    asked: bool = False
    """Whether it is checked only if it is asked for: more than one failure, or one that needs a command."""


@dataclass(frozen=True)
class Scope:
    """What is covered for a kind of producer. `kept` begins the sentence that no record is lost."""

    promises: dict[str, Promise]
    failures: dict[str, Failure]
    bounds: str
    kept: str
    rule: Callable[[Settings, list[str], str], tuple[str, str] | None] = lambda settings, parts, promise: None
    """Whether a promise is kept under failures, and why, where no model is needed to say so."""
    outside: Callable[[Settings], str] = lambda _: ""
    """Why nothing is covered for a producer of this kind."""
    not_covered: Callable[[Settings, str, bool], str] = lambda settings, promise, kept: ""
    """Why a promise that the model keeps, or breaks, is not covered all the same."""

    @property
    def alone(self) -> list[str]:
        """The failures that are checked if none is asked for."""
        return [name for name, failure in self.failures.items() if not failure.asked]
