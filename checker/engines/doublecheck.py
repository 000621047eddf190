"""Every run doubts itself: on some of the visited states, machine code and plain Python must agree.

Tracing is exact as long as a spec computes with symbols through their operators. Python has a few operations
that cannot be intercepted (`is`, isinstance, the text of a number); on a symbol they answer wrongly and
silently. So after each search a sample of the visited states, taken evenly over all levels, is expanded and
judged once more by executing the spec on values. A difference is an error of the spec (E217), never a verdict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ..backends.native import Program
from ..errors import CheckedError, EverystateError
from ..ir.model import Model
from ..language.concrete import StepFailed, attempts, evaluate
from ..language.declarations import method_place
from ..language.spec import Spec
from ..language.state import State
from .history import Expansion

SAMPLE = 48
"""States that are compared: a few milliseconds for a small spec, under a second for a large one."""


def doublecheck(program: Program, compiled: Expansion, sample: Iterable[Any]) -> None:
    """Compare some of the visited states, each an array of one row; E217 names the first difference."""
    model = program.model
    for row in sample:
        state = State(model.spec.domains, model.layout.unpack(row[0]))
        _compare_steps(model, compiled, state, row)
        _compare_properties(program, compiled, state, row)


def _compare_steps(model: Model, expansion: Expansion, state: State, row: Any) -> None:
    names = expansion.program.action_names
    rows, _ = expansion.expand(row)
    actions = expansion.actions(slice(len(rows)))
    compiled: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    for successor, action in zip(rows, actions, strict=True):
        compiled[names[action]].append(model.layout.unpack(successor))
    concrete: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    for instance in model.spec.instances:
        for step in attempts(model.spec, state, instance):
            if not isinstance(step, StepFailed):
                concrete[instance.name].append(step.state.cells)
    for name in names:
        if compiled[name] != concrete[name]:
            counts = f"on symbols it has {len(compiled[name])} successors, on values {len(concrete[name])}"
            if len(compiled[name]) == len(concrete[name]):
                counts = "its successors differ"
            raise _differs(model.spec, name, counts, state)


def _compare_properties(program: Program, expansion: Expansion, state: State, row: Any) -> None:
    model = program.model
    for k, watch in enumerate(program.state_watches):
        if watch.kind not in ("invariant", "reachable"):
            continue
        name = model.properties[watch.index].name
        flagged = bool(expansion.flags(k, row)[0])
        try:
            value = bool(evaluate(model.spec, name, state).value)
        except EverystateError as error:
            if not isinstance(error, CheckedError):
                raise
            continue
        if value == (flagged if watch.kind == "invariant" else not flagged):
            raise _differs(model.spec, name, f"on values it is {value}, on symbols {not value}", state)


def _differs(spec: Spec, name: str, reason: str, state: State) -> EverystateError:
    values = ", ".join(f"{variable} = {text}" for variable, text in state.shown().items())
    return EverystateError(
        "E217", method_place(getattr(type(spec), name)), action=name, reason=f"{reason}, with {values}"
    )
