"""What the scenarios of the Kafka model share."""

from __future__ import annotations

from typing import Any

from ...checker.language.scenario import Scenario

TARGET = "everystate.model.kafka:KafkaProducer"


def kafka(
    name: str, title: str, text: str, expected: dict[str, int] | None = None, *, slow: bool = False, **constants: Any
) -> Scenario:
    """A scenario of the Kafka model: the constants that differ from the model's defaults, and what is expected."""
    return Scenario(name, TARGET, title, constants, expected or {}, text, slow)


def every(kinds: tuple[str, ...], most: int) -> dict[str, Any]:
    """The same cap for several kinds of fault."""
    return dict.fromkeys(kinds, most)
