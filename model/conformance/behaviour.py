"""Traces to drive on both sides: lists of steps by name, and their sources."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...checker.language.concrete import Step, successors
from ...checker.language.spec import Spec


class NamedStep(NamedTuple):
    """One step by name: an action, its arguments, and its choices."""

    action: str
    arguments: tuple[tuple[str, Any], ...]
    choices: tuple[Any, ...] = ()

    def __str__(self) -> str:
        text = f"{self.action}({', '.join(f'{n}={v}' for n, v in self.arguments)})"
        return f"{text} choosing {', '.join(map(str, self.choices))}" if self.choices else text


@dataclass(frozen=True)
class Behaviour:
    """Steps with a name for the whole."""

    name: str
    turns: tuple[NamedStep, ...]


def turn_of(step: Step) -> NamedStep:
    """A step of the concrete run by name."""
    return NamedStep(step.action.name, step.action.arguments, step.choices)


def of_trace(spec: Spec, name: str, trace: Any) -> Behaviour:
    """A trace as steps by name; the loop of an infinite one is taken twice."""
    turns = [NamedStep(step.action, tuple(step.arguments.items()), step.choices) for step in trace.steps]
    if trace.closing:
        last = successors(spec, trace.states[-1])
        round_ = [*turns[trace.loop :], next(turn_of(step) for step in last if step.label == trace.closing)]
        return Behaviour(f"{name}, twice round", (*turns[: trace.loop], *round_, *round_))
    return Behaviour(name, tuple(turns))


def of_violations(spec: Spec, violations: Iterable[Any]) -> tuple[list[Behaviour], str]:
    """The counterexamples among the results of a check; where there are none, why."""
    violations = list(violations)
    behaviours = [of_trace(spec, v.property, v.trace) for v in violations if v.trace is not None and v.error is None]
    failed = [f"{v.error.what} ({v.error.code})" for v in violations if v.error is not None]
    if behaviours:
        return behaviours, ""
    return [], f"its check ends in an error: {failed[0]}" if failed else "no property fails"


def is_fault(spec: Spec, action: str) -> bool:
    """Whether an action is a fault: all others are fair."""
    return not getattr(getattr(type(spec), action), "__fairness__", "")


def faults_of(spec: Spec, turns: Iterable[NamedStep]) -> list[int]:
    """The places of the faults among turns."""
    return [at for at, turn in enumerate(turns) if is_fault(spec, turn.action)]
