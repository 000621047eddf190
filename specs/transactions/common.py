"""What the scenarios of transactions share."""

from __future__ import annotations

from typing import Any

from ...checker.language.scenario import Scenario

SAFETY = "everystate.model.transactions:KafkaTransactions"
ENDING = "everystate.model.transactions:Ending"
OWNED = "everystate.model.transactions:Owned"
NEAR_THE_HIGHEST: dict[str, Any] = {"epochs": 3, "start_epoch": 1, "pids": 3}
"""The first producer gets an exhausted epoch: 2 stands for 32766, 3 for 32767."""


def txn(
    name: str, title: str, text: str, expected: dict[str, int] | None = None, *, slow: bool = False, **constants: Any
) -> Scenario:
    """A scenario of the promises: the constants that differ from the model's defaults, and what is expected.

    The generation is the part of the name before the slash.
    """
    return Scenario(name, SAFETY, title, _constants(name, constants), expected or {}, text, slow)


def ending(
    name: str, title: str, text: str, expected: dict[str, int] | None = None, *, slow: bool = False, **constants: Any
) -> Scenario:
    """A scenario of the temporal properties: that every transaction ends."""
    return Scenario(name, ENDING, title, _constants(name, constants), expected or {}, text, slow)


def owned(
    name: str, title: str, text: str, expected: dict[str, int] | None = None, *, slow: bool = False, **constants: Any
) -> Scenario:
    """A scenario of the promises, and of whose transaction the coordinator has."""
    return Scenario(name, OWNED, title, _constants(name, constants), expected or {}, text, slow)


def _constants(name: str, constants: dict[str, Any]) -> dict[str, Any]:
    return {"generation": name.split("/")[0].removeprefix("txn-"), **constants}
