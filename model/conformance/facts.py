"""One step between two looks at Kafka, from which the rules that it has shown are told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .driver import Observation


@dataclass(frozen=True)
class StepFacts:
    """How Kafka began, what was done, and what Kafka was like before and after it."""

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
