"""Trace: a path of states as a library type, from an initial state to the end of a counterexample."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ..language.concrete import abstract_state
from ..language.spec import Spec
from ..language.state import State


@dataclass(frozen=True)
class TraceStep:
    """One step: the action with its arguments and choices, its narration, and the state after it."""

    action: str
    arguments: dict[str, Any]
    choices: tuple[Any, ...]
    label: str
    state: State
    narration: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Trace:
    """The initial state and the steps from it.

    `shows` names what the trace shows (a property, "deadlock" or "error"); `explanation` is why the end is wrong;
    `witness` holds the values that decided it; `failing` is the step that could not be taken when the trace ends in an
    error of the spec. An infinite trace is a loop: from the last state the step `closing` leads to state number `loop`;
    where it is empty, nothing happens any more. For a refinement, `beside` has for each state the state of the spec
    `abstract` that it maps to; None where the mapping fails.
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
    abstract: str = ""
    beside: tuple[State | None, ...] = ()

    @property
    def length(self) -> int:
        """The number of steps (transitions)."""
        return len(self.steps)

    @property
    def states(self) -> list[State]:
        """All states, the initial one first."""
        return [self.initial, *(step.state for step in self.steps)]


def with_abstract(spec: Spec, trace: Trace) -> Trace:
    """A trace of a spec; for a refinement, with the abstract states beside its own."""
    refined = spec._refinements.get(trace.shows)
    if refined is None:
        return trace
    found = tuple(abstract_state(spec, trace.shows, state) for state in trace.states)
    return replace(trace, abstract=refined.of, beside=found)
