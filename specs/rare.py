"""Rare behaviours as words and numbers: behaviours that walks hardly meet, to be held against real Kafka."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from everystate.model.conformance.behaviour import NamedStep

Words = Mapping[str, tuple[Any, ...]]
"""An action in a word, what the numbers behind it are, and what else is given."""


@dataclass(frozen=True)
class Rare:
    """What is told apart, by which rule: the constants of the model, and steps as words of it and numbers."""

    name: str
    rule: str
    constants: dict[str, Any]
    steps: str
    words: ClassVar[Words]

    @property
    def turns(self) -> tuple[NamedStep, ...]:
        """The steps as turns."""
        return tuple(map(self.turn, self.steps.split(";")))

    @classmethod
    def turn(cls, text: str) -> NamedStep:
        """One step: what is chosen stands behind a colon."""
        text, _, chosen = text.partition(":")
        word, *numbers = text.split()
        action, names, *besides = cls.words[word]
        return NamedStep(
            action, (*zip(names, map(int, numbers), strict=True), *besides), tuple(map(int, chosen.split()))
        )
