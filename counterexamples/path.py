"""Paths: a trace as the list of action indexes that replays it, and back.

The first number is the initial state, each other one the step taken, counted from 0 among all steps of the state, in
the order in which the spec writes its actions and their choices. So a path is short enough for a chat message, and
identifies one trace of one spec with one choice of constants.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..checker.engines.replay import broken, trace_step, why_false
from ..checker.language import marks
from ..checker.language.concrete import Step, StepFailed, attempts, label
from ..checker.language.concrete_machine import ConcreteMachine, NarratedRun
from ..checker.language.declarations import Property
from ..checker.language.spec import Spec
from ..checker.language.state import State
from ..checker.results.conditions import Conditions
from ..checker.results.result import Result, Violation, checked
from ..checker.results.text import count
from ..checker.results.trace import Trace, TraceStep, with_abstract
from ..checker.results.verdict import Kind, Verdict

KINDS = {marks.INVARIANT: Kind.INVARIANT, marks.STEP_INVARIANT: Kind.STEP_INVARIANT}


class NoPath(Exception):
    """A path does not fit the spec; the text says where."""


def read_path(text: str) -> list[int]:
    """A path from its text, `0,0,3,1`; NoPath when it is none."""
    if not re.fullmatch(r"\s*\d+(\s*,\s*\d+)*\s*", text):
        raise NoPath("a path is a list of numbers with commas between them, such as 0,0,3,1")
    return [int(number) for number in text.split(",")]


def show_path(path: Sequence[int]) -> str:
    """A path as text."""
    return ",".join(map(str, path))


def path_of(spec: Spec, trace: Trace) -> list[int]:
    """The path of a trace of this spec; NoPath when it is no trace of it."""
    initial = spec.initial_states()
    if trace.initial not in initial:
        raise NoPath("its first state is no initial state of the spec")
    path, state = [initial.index(trace.initial)], trace.initial
    for number, step in enumerate(trace.steps, start=1):
        path.append(_index(spec, state, step, number))
        state = step.state
    if trace.failing:
        failing = [at for at, step in enumerate(steps_of(spec, state)) if isinstance(step, StepFailed)]
        named = [at for at in failing if _label(steps_of(spec, state)[at]) == trace.failing]
        path += (named or failing)[:1]
    return path


def steps_of(spec: Spec, state: State, kind: type[ConcreteMachine] = ConcreteMachine) -> list[Step | StepFailed]:
    """All steps of a state in their order, those that fail included."""
    return [step for instance in spec.instances for step in attempts(spec, state, instance, kind=kind)]


def _label(step: Step | StepFailed) -> str:
    return label(step.action, step.choices) if isinstance(step, StepFailed) else step.label


def _index(spec: Spec, state: State, taken: TraceStep, number: int) -> int:
    fitting = [
        at
        for at, step in enumerate(steps_of(spec, state))
        if not isinstance(step, StepFailed) and step.state == taken.state and step.action.name == taken.action
    ]
    if not fitting:
        raise NoPath(f"step {number} is no step of the spec")
    exact = [at for at in fitting if _label(steps_of(spec, state)[at]) == taken.label]
    return (exact or fitting)[0]


@dataclass(frozen=True)
class PathEnd:
    """The end of a path."""

    trace: Trace
    failed: StepFailed | None = None


def follow(spec: Spec, path: Sequence[int], target: str = "") -> Result:
    """Replay a path; every property that fails at its end is a violation of the result."""
    end = _walk(spec, path, target)
    violations = tuple(violations_at(spec, end.trace, end.failed))
    steps = len(path) - 1
    return Result(
        target=target,
        constants=spec.constants,
        engine="replay",
        verdict=Verdict.VIOLATED if violations else Verdict.SAMPLED,
        conditions=Conditions(),
        distinct=len(set(end.trace.states)),
        generated=len(end.trace.states),
        initial=1,
        depth=len(end.trace.states),
        seconds=0.0,
        violations=violations,
        checked=checked(spec, True),
        stopped=f"replay of {steps} step{'' if steps == 1 else 's'}",
        said="" if violations else "no property fails at the end of the path",
    )


def _walk(spec: Spec, path: Sequence[int], target: str) -> PathEnd:
    initial = spec.initial_states()
    state = _pick(initial, path[0], "initial state", 0)
    taken: list[TraceStep] = []
    for number, index in enumerate(path[1:], start=1):
        step = _pick(steps_of(spec, state, NarratedRun), index, "step", number)
        if isinstance(step, StepFailed):
            if number < len(path) - 1:
                raise NoPath(f"step {number}, {_label(step)}, fails: nothing can follow it")
            return PathEnd(Trace(target, spec.constants, initial[path[0]], tuple(taken)), step)
        taken.append(trace_step(step))
        state = step.state
    return PathEnd(Trace(target, spec.constants, initial[path[0]], tuple(taken)))


def _pick(options: Sequence[Any], index: int, what: str, number: int) -> Any:
    if index >= len(options):
        at = f"number {number + 1} of the path is {index}"
        raise NoPath(
            f"{at}, but there {'is' if len(options) == 1 else 'are'} {count(len(options), what)} to choose from"
        )
    return options[index]


def violations_at(spec: Spec, given: Trace, failed: StepFailed | None = None) -> list[Violation]:
    """What the last state or step of a trace violates, or the step that fails after it."""
    if failed is not None:
        text = failed.error.what
        trace = replace(given, failing=_label(failed), shows="error", kind=Kind.ERROR.value, explanation=text)
        return [Violation("error", Kind.ERROR, trace, text, failed.error, 1)]
    found = [v for prop in spec.properties if (v := _violation(spec, prop, given))]
    if not spec.may_terminate and not steps_of(spec, given.states[-1]):
        text = "no action is enabled"
        trace = replace(given, shows="deadlock", kind=Kind.DEADLOCK.value, explanation=text)
        found.append(Violation("deadlock", Kind.DEADLOCK, trace, text, None, 1))
    return found


def _violation(spec: Spec, prop: Property, trace: Trace) -> Violation | None:
    """The violation of a property by the last state or step of a trace, if it is one."""
    before, refined = None, prop.name in spec._refinements
    if prop.steps:
        if not trace.steps and not refined:
            return None
        before = trace.states[-2] if trace.steps else None  # without a step: the initial state of a refinement
    if not broken(spec, prop, trace.states[-1], before):
        return None
    witness, error = why_false(spec, prop.name, trace.states[-1], before)
    kind = Kind.PROPERTY_ERROR if error else Kind.REFINEMENT if refined else KINDS[prop.kind]
    text = error.what if error else prop.text
    given = with_abstract(spec, replace(trace, shows=prop.name, kind=kind.value, explanation=text, witness=witness))
    return Violation(prop.name, kind, given, text, error, 1)
