"""Replays a path on the concrete spec: from packed states to a trace with labels and narration."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ..errors import CheckedError, EverystateError, Where
from ..language import marks
from ..language.concrete import StepFailed, attempts, evaluate
from ..language.concrete_machine import NarratedRun
from ..language.declarations import Property
from ..language.spec import Spec
from ..language.state import State
from ..results.trace import Trace, TraceStep, with_abstract
from .plain_python import PlainPython, changed

Cells = tuple[int, ...]


def trace_step(step: Any) -> TraceStep:
    """A concrete step as a step of a trace."""
    arguments = dict(step.action.arguments)
    return TraceStep(step.action.name, arguments, step.choices, step.label, step.state, step.narration)


def replay(spec: Spec, behaviour: Sequence[Cells]) -> tuple[State, list[TraceStep]]:
    """The initial state and the first step that leads from each state to the next, in the order of the spec."""
    states, plain = [State(spec.domains, cells) for cells in behaviour], PlainPython(spec)
    return states[0], [_connect(plain, before, after) for before, after in itertools.pairwise(states)]


def _connect(plain: PlainPython, before: State, after: State) -> TraceStep:
    """The step from a state to the next. Only an instance that leads there is executed with its narration."""
    spec = plain.spec
    for number, instance in enumerate(spec.instances):
        ways = plain.ways(number, before.cells).changes
        if after.cells in (changed(before.cells, changes) for changes in ways):
            for step in attempts(spec, before, instance, kind=NarratedRun):
                if not isinstance(step, StepFailed) and step.state == after:
                    return trace_step(step)
    reason = f"no concrete step leads from\n{before}\nto\n{after}"
    raise EverystateError("E217", None, action=type(spec).__name__, reason=reason)


def failing_step(spec: Spec, state: State, symbolic: str = "", where: Where | None = None) -> StepFailed:
    """The first step of a state that is an error of the spec; E217 when only the compiled model fails there."""
    for instance in spec.instances:
        for step in attempts(spec, state, instance):
            if isinstance(step, StepFailed):
                return step
    raise EverystateError("E217", where, action=type(spec).__name__, reason=f"{symbolic}, but no concrete step fails")


def why_false(spec: Spec, name: str, state: State, before: State | None) -> tuple[dict[str, Any], CheckedError | None]:
    """Why a property is false (variables that it read, loop variables), or the error that its evaluation raised."""
    shown = state.shown()
    if before is not None:
        shown = {
            n: text if text == old else f"{old} -> {text}"
            for (n, text), old in zip(shown.items(), before.shown().values(), strict=True)
        }
    try:
        found = evaluate(spec, name, state, before, NarratedRun())
        return {**{variable: shown[variable] for variable in found.reads}, **found.witness}, None
    except EverystateError as error:
        if isinstance(error, CheckedError):
            return {variable: shown[variable] for variable in error.reads}, error
        raise


def broken(spec: Spec, prop: Property, state: State, before: State | None) -> bool:
    """Whether a state, or the step to it, violates a property: it does not hold, or evaluating it fails."""
    if prop.kind not in marks.EVALUATED:
        return False
    try:
        return not spec.property_holds(prop.name, state, before) and prop.kind in marks.SAFETY
    except CheckedError:
        return True


def make_trace(spec: Spec, target: str, behaviour: Sequence[Cells], **facts: Any) -> Trace:
    """A path of states as a trace."""
    initial, steps = replay(spec, behaviour)
    return with_abstract(spec, Trace(target, spec.constants, initial, tuple(steps), **facts))
