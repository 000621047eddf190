"""The model that a class was translated from, of TLA+: what it says of its constants and properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .marks import Constant


@dataclass(frozen=True)
class Origin:
    """What a translation leaves out or adds. A class is for one choice of the constants of the model."""

    left_out: Mapping[str, str] = field(default_factory=dict)
    """Properties of the model that the class does not have, with the reasons."""
    guaranteed: tuple[str, ...] = ()
    """Invariants of the model that the class does not have, since the domains of its variables say the same."""
    guessed: tuple[str, ...] = ()
    """Variables whose domains are guesses."""
    counts: tuple[int, int] | None = None
    """Distinct and generated states by direct evaluation, if the model is small."""
    constants: Mapping[str, Constant[Any]] = field(default_factory=dict)
    """The constants of the model, with the values of its configuration."""
    again: Callable[[dict[str, Any]], Any] | None = None
    """The spec for other values of the constants of the model."""
