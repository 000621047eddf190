"""Scenario: a named check, as data: which spec, which constants, and what is expected of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Scenario:
    """A named check.

    `target` is package.module:Class, loaded only when the scenario runs. `expected` maps each property that
    must fail to the exact number of steps of its shortest counterexample; all others must hold.
    """

    name: str
    target: str
    title: str
    constants: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, int] = field(default_factory=dict)
    text: str = ""
    slow: bool = False
