"""One step with the observations of Kafka around it, from which the exercised rules are derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .driver import Observation


@dataclass(frozen=True)
class StepFacts:
    """The initial state of Kafka, what was done, and the observations before and after it."""

    setup: Any
    move: Any
    before: Observation
    after: Observation

    @property
    def action(self) -> str:
        """The action of the step."""
        return str(self.move.action)


F = TypeVar("F", bound=StepFacts)


def shown(rules: Mapping[str, Callable[[F], bool]], facts: F) -> list[str]:
    """The rules whose effect was seen in a step."""
    return [rule for rule, test in rules.items() if test(facts)]
