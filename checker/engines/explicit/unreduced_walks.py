"""Checks a reduced search by random walks in the full state space, which must show nothing that was not found.

They begin in states of all levels and take any step. The choice depends on the states alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import EverystateError
from ..violations import DEADLOCK, FAULT
from .findings import Findings
from .history import History

WALKS, STEPS = 128, 64


def check(findings: Findings, history: History) -> None:
    """E505 where a walk shows something that a reduced search has not found. `history` is of a search that was not
    stopped."""
    if FAULT in findings.first_seen:
        return
    dice, faults = np.random.default_rng(1), history.faults
    rows = [row for _, row in history.sample(0, min(WALKS, history.rows))]
    states = np.concatenate(rows) if rows else np.empty((0, history.program.words), np.uint64)
    for _ in range(STEPS):
        if not len(states):
            return
        after, sources = history.expand(states)
        after, sources = after.copy(), sources.copy()
        stuck = len(np.unique(sources)) < len(states)
        if history.faults > faults:
            raise _missed(findings, FAULT)
        if stuck and findings.deadlock and DEADLOCK not in findings.first_seen:
            raise _missed(findings, DEADLOCK)
        _judge(findings, history, after, states, sources)
        states = _drawn(dice, after[history.inside(after)], sources[history.inside(after)])


def _judge(findings: Findings, history: History, after: Any, before: Any, sources: Any) -> None:
    program = history.program
    for groups, given in ((program.state_groups, ()), (program.step_groups, (before, sources))):
        for watch, holds in history.judged(groups, after, *given):
            if watch not in findings.first_seen and holds.any():
                raise _missed(findings, watch)


def _drawn(dice: np.random.Generator, after: Any, sources: Any) -> Any:
    """One successor of each state that has any."""
    order = dice.permutation(len(after))
    _, first = np.unique(sources[order], return_index=True)
    return np.ascontiguousarray(after[order][first])


def _missed(findings: Findings, key: int) -> EverystateError:
    found = {FAULT: "an action that fails", DEADLOCK: "a deadlock"}
    if key not in found:
        watch = findings.watches[key]
        found[key] = (
            f"{watch.kind} {findings.program.model.properties[watch.index].name}"
            if watch.kind != "antecedent"
            else (f"the left side of an implication in {findings.program.model.antecedents[watch.index].property}")
        )
    reason = f"a behaviour of the full space shows {found[key]}, which the reduced search has not found"
    return EverystateError("E505", None, spec=type(findings.program.model.spec).__name__, reason=reason)
