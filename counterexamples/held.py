"""Checks a trace against its spec: a file may be truncated, edited, or of another version of the spec."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ..checker.errors import CheckedError
from ..checker.language import marks
from ..checker.language.concrete import Step, StepFailed, attempts, begins_soon
from ..checker.language.spec import Spec
from ..checker.language.state import State
from ..checker.results.trace import Trace, TraceStep
from ..checker.results.verdict import Kind
from .path import steps_of, violations_at

BEGINNINGS = 1_000
"""Combinations of initial values that are tried, at most: where there are more, the initial state is not checked."""


def flaw(spec: Spec, trace: Trace) -> str:
    """Why a trace is no trace of its spec, or does not show its violation; empty where it is valid."""
    return next(itertools.chain(_beginning(spec, trace), _steps(spec, trace), _end(spec, trace)), "")


def _beginning(spec: Spec, trace: Trace) -> Iterator[str]:
    try:
        if begins_soon(spec, BEGINNINGS) and trace.initial not in spec.initial_states():
            yield "it does not begin as the spec does"
    except CheckedError:
        return


def _steps(spec: Spec, trace: Trace) -> Iterator[str]:
    for number, (before, step) in enumerate(zip(trace.states, trace.steps, strict=False), start=1):
        if not _leads(spec, before, step.state, step):
            yield f"step {number}, {step.label}, is no step of the spec"
    if trace.closing and trace.loop is not None and not _leads(spec, trace.states[-1], trace.states[trace.loop]):
        yield f"it does not come back to state {trace.loop}"


def _leads(spec: Spec, before: State, after: State, step: TraceStep | None = None) -> bool:
    """Whether a step leads from one state to another; the given one, if there is one."""
    instances = (
        i for i in spec.instances if step is None or (i.name, dict(i.arguments)) == (step.action, step.arguments)
    )
    steps = (step for instance in instances for step in attempts(spec, before, instance))
    return any(isinstance(step, Step) and step.state == after for step in steps)


def _end(spec: Spec, trace: Trace) -> Iterator[str]:
    """Check that a trace shows its violation at its end. Liveness is not checked here."""
    kinds = {prop.name: prop.kind for prop in spec.properties}
    if trace.kind == Kind.ERROR:
        if not any(isinstance(step, StepFailed) for step in steps_of(spec, trace.states[-1])):
            yield "no step fails at its end"
    elif trace.kind == Kind.DEADLOCK:
        if steps_of(spec, trace.states[-1]):
            yield "there is a step at its end"
    elif trace.shows and trace.shows not in kinds:
        yield f"the spec has no property {trace.shows}"
    elif trace.shows and not (trace.kind in (Kind.TEMPORAL, Kind.TRAPPED) and kinds[trace.shows] in marks.TEMPORAL):
        broken = [found.property for found in violations_at(spec, trace)]
        if trace.shows not in broken:
            yield f"{trace.shows} holds at its end"
