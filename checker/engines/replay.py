"""From states to stories: replaying a behaviour on the concrete spec, with labels and narration."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ..errors import CheckedError, EverystateError
from ..language.concrete import StepFailed, attempts, evaluate
from ..language.spec import Spec
from ..language.state import State
from ..results.trace import Trace, TraceStep

Cells = tuple[int, ...]


def trace_step(step: Any) -> TraceStep:
    """A concrete step as a step of a trace."""
    arguments = dict(step.action.arguments)
    return TraceStep(step.action.name, arguments, step.choices, step.label, step.state, step.narration)


def replay(spec: Spec, behaviour: Sequence[Cells]) -> tuple[State, list[TraceStep]]:
    """The initial state and the first step that leads from each state to the next, in the order of the spec."""
    states = [State(spec.domains, cells) for cells in behaviour]
    steps = []
    for before, after in itertools.pairwise(states):
        steps.append(_connect(spec, before, after))
    return states[0], steps


def _connect(spec: Spec, before: State, after: State) -> TraceStep:
    for instance in spec.instances:
        for step in attempts(spec, before, instance):
            if not isinstance(step, StepFailed) and step.state == after:
                return trace_step(step)
    raise AssertionError(f"the compiled model and the concrete run disagree: no step leads from\n{before}\nto\n{after}")


def failing_step(spec: Spec, state: State) -> StepFailed:
    """The first step of a state that is an error of the spec."""
    for instance in spec.instances:
        for step in attempts(spec, state, instance):
            if isinstance(step, StepFailed):
                return step
    raise AssertionError(f"the compiled model and the concrete run disagree: no step fails in\n{state}")


def why_false(spec: Spec, name: str, state: State, before: State | None) -> tuple[dict[str, Any], CheckedError | None]:
    """The loop variables of the quantifier that made a property false, or the error that evaluating it raised."""
    try:
        return evaluate(spec, name, state, before).witness, None
    except EverystateError as error:
        if isinstance(error, CheckedError):
            return {}, error
        raise


def make_trace(spec: Spec, target: str, behaviour: Sequence[Cells], **facts: Any) -> Trace:
    """A behaviour as a trace."""
    initial, steps = replay(spec, behaviour)
    return Trace(target, spec.constants, initial, tuple(steps), **facts)
