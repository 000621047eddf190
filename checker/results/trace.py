"""Trace: a behaviour as a library type, from an initial state to the end of a counterexample."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..language.state import State


@dataclass(frozen=True)
class TraceStep:
    """One step: the action with its arguments and choices, what it said, and the state after it."""

    action: str
    arguments: dict[str, Any]
    choices: tuple[Any, ...]
    label: str
    state: State
    narration: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Trace:
    """A behaviour: the initial state and the steps from it.

    `shows` names what the trace shows (a property, "deadlock" or "error"); `explanation` says why the
    end is wrong; `witness` holds the values that decided it; `failing` is the step that could not be taken
    when the trace ends in an error of the spec. A behaviour without end comes back: from the last state the step
    `closing` leads to state number `loop`; where it is empty, nothing happens any more.
    """

    target: str
    constants: dict[str, Any]
    initial: State
    steps: tuple[TraceStep, ...]
    shows: str = ""
    kind: str = ""
    explanation: str = ""
    witness: dict[str, Any] = field(default_factory=dict)
    failing: str = ""
    loop: int | None = None
    closing: str = ""

    @property
    def length(self) -> int:
        """The number of steps (transitions)."""
        return len(self.steps)

    @property
    def states(self) -> list[State]:
        """All states, the initial one first."""
        return [self.initial, *(step.state for step in self.steps)]
