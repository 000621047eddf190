"""What the scenarios of the drain share."""

from __future__ import annotations

from typing import Any

from ...checker.language.scenario import Scenario

MODEL = "everystate.model.drain"


def of(
    cls: str,
    name: str,
    title: str,
    text: str,
    expected: dict[str, int] | None = None,
    *,
    slow: bool = False,
    **constants: Any,
) -> Scenario:
    """A scenario; the generation is the part of the name before the slash."""
    generation = name.split("/")[0].removeprefix("drain-")
    return Scenario(name, f"{MODEL}:{cls}", title, {"generation": generation, **constants}, expected or {}, text, slow)
