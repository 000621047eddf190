"""What machine code says of a state: plain data, so that it may come from another process than the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backends.native.probe import Probe, stopped
from ...backends.native.program import Group
from ..expansion import Expansion

Held = frozenset[int]
"""The watches that hold."""


@dataclass(frozen=True)
class Answer:
    """Of one state (an array of one row): its successors with their actions and what was counted of them, what holds
    in the state, in each successor and on each step, which of them all are inside the constraints and what identifies
    them (where there are constraints or views), and how many attempts of some actions each guard has stopped."""

    row: Any
    after: Any
    actions: Any
    counted: Any
    held: Held
    held_after: tuple[Held, ...]
    on_steps: tuple[Held, ...]
    inside: Any
    keys: Any
    stopped: dict[str, Any]


def answer(expansion: Expansion, row: Any, probes: Mapping[str, Probe] | None = None) -> Answer:
    """What machine code says of a state."""
    shape, before = expansion.program, expansion.counters.copy()
    found, _ = expansion.expand(row)
    after, actions = found.copy(), expansion.actions(slice(len(found))).copy()
    both = np.concatenate([row, after])
    held = _held(expansion, shape.state_groups, both)
    return Answer(
        row,
        after,
        actions,
        expansion.counters - before,
        held[0],
        tuple(held[1:]),
        tuple(_held(expansion, shape.step_groups, after, row, np.zeros(len(after), np.uint32))),
        expansion.inside(both) if shape.constrained else np.ones(len(both), bool),
        expansion.keys(both) if shape.viewed else both,
        {name: stopped(probe, [row]) for name, probe in (probes or {}).items()},
    )


def _held(expansion: Expansion, groups: Sequence[Group], states: Any, *given: Any) -> list[Held]:
    """The watches that hold in each of some states, or on each step."""
    found: list[set[int]] = [set() for _ in states]
    for watch, holds in expansion.judged(groups, states, *given) if len(states) else ():
        for at in np.flatnonzero(holds):
            found[at].add(watch)
    return [frozenset(watches) for watches in found]
