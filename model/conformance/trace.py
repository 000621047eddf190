"""Checks a stored trace: whether it is a trace of the spec with which it is to be driven."""

from __future__ import annotations

from typing import Any

from ...checker.language import marks
from ...checker.language.concrete import evaluate
from ...checker.language.spec import Spec
from .behaviour import Behaviour, of_trace
from .stepping import NamedStepper


def behaviours(trace: Any, written: Spec, spec: Spec) -> tuple[list[Behaviour], str]:
    """A trace, `written` with one spec, as a trace of another; and why it is none."""
    name = trace.shows or "the trace"
    if trace.failing:
        return [], f"it ends in an error of the spec: {trace.failing}"
    behaviour = of_trace(written, name, trace)
    side = NamedStepper(spec)
    if written is spec and side.state.values() != trace.initial.values():
        return [], "it begins in another state"
    for number, turn in enumerate(behaviour.turns, 1):
        instance = side.instances.get((turn.action, turn.arguments))
        steps = side.steps(instance) if instance is not None else []
        step = next((step for step in steps if step.choices == turn.choices), None)
        if step is None:
            return [], f"step {number}, {turn}, cannot be taken"
        side.advance(step)
        if number <= len(trace.steps) and side.state.values() != trace.steps[number - 1].state.values():
            return [], f"step {number}, {turn}, leads to another state"
    return [behaviour], ""


def kept(trace: Any, spec: Spec) -> bool:
    """Whether a trace does not violate the invariant that it names; other properties are not checked."""
    known = [found.name for found in spec._marked(marks.INVARIANT)]
    return trace.shows in known and bool(evaluate(spec, trace.shows, trace.states[-1]).value)
