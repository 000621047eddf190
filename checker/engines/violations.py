"""Makes violations: from a watch that held to a property with its trace, replayed on the concrete spec."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..backends.native import Program, Watch
from ..errors import Where
from ..ir.traced import Model
from ..ir.tree import Fault, nodes
from ..language.concrete import label
from ..language.state import State
from ..results.result import Violation
from ..results.verdict import GRAVITY, Kind

FAULT, DEADLOCK = -1, -2
KINDS = {"invariant": Kind.INVARIANT, "step invariant": Kind.STEP_INVARIANT, "error": Kind.PROPERTY_ERROR}


def called(program: Program, key: int) -> str:
    """The name of a violation: a property, or the kind of an error without one."""
    if key < 0:
        return "error" if key == FAULT else "deadlock"
    return program.model.properties[program.watches()[key].index].name


def violation(
    model: Model,
    target: str,
    watch: Watch | None,
    key: int,
    cells: list[tuple[int, ...]],
    count: int,
    beyond: bool = False,
) -> Violation:
    """A violation with its trace, replayed on the concrete spec."""
    from .replay import failing_step, make_trace, why_false

    spec, last = model.spec, State(model.spec.domains, cells[-1])
    if watch is None and key == DEADLOCK:
        text = "no action is enabled"
        trace = make_trace(spec, target, cells, shows="deadlock", kind=Kind.DEADLOCK.value, explanation=text)
        return Violation("deadlock", Kind.DEADLOCK, trace, text, None, count)
    if watch is None:
        failed = failing_step(spec, last, *_suspect(model))
        name, text = label(failed.action, failed.choices), failed.error.what
        trace = make_trace(spec, target, cells, shows="error", kind=Kind.ERROR.value, explanation=text, failing=name)
        return Violation("error", Kind.ERROR, trace, text, failed.error, count)
    prop = model.properties[watch.index]
    kind = kind_of(model, watch)
    before = State(spec.domains, cells[-2]) if prop.steps else None
    witness, error = why_false(spec, prop.name, last, before)
    text = error.what if error else prop.text
    trace = make_trace(
        spec,
        target,
        cells,
        shows=prop.name,
        kind=kind.value,
        explanation=text,
        witness=witness,
    )
    return Violation(prop.name, kind, trace, text, error, count, beyond)


def kind_of(model: Model, watch: Watch) -> Kind:
    """The kind of a violation that a watch reports."""
    if watch.kind != "error" and model.properties[watch.index].name in model.spec._refinements:
        return Kind.REFINEMENT
    return KINDS[watch.kind]


def _suspect(model: Model) -> tuple[str, Where | None]:
    """The error that tracing has most likely seen wrongly: an exception of Python, else the first."""
    found = [n.error for a in model.actions for n in nodes(a.tree) if isinstance(n, Fault)]
    error = min(found, key=lambda e: e.code != "E308")
    return error.what, error.where


def once_each(found: list[tuple[Any, Violation]]) -> list[Violation]:
    """One violation for each property and kind: that of least rank, the gravest kind first.

    A property that can fail to evaluate in several places has a violation for each. Together they are one, and no state
    is counted twice, since evaluation ends at the first failure.
    """
    best: dict[tuple[str, Kind], tuple[Any, Violation]] = {}
    counts: dict[tuple[str, Kind], int] = {}
    beyond: set[tuple[str, Kind]] = set()
    for rank, item in found:
        name = (item.property, item.kind)
        counts[name] = counts.get(name, 0) + item.states
        beyond.update([name] if item.beyond else [])
        if name not in best or rank < best[name][0]:
            best[name] = (rank, item)
    reported = [replace(item, states=counts[name], beyond=name in beyond) for name, (_, item) in best.items()]
    return sorted(reported, key=lambda v: GRAVITY.index(v.kind))
