"""The results of machine code for single states, as plain data that can come from another process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ...backends.native.probe import Probe, stopped
from ...backends.native.program import Group
from ..expansion import Expansion

Held = frozenset[int]
"""The watches that hold."""
TOGETHER = 32
"""States that are evaluated at once, after fewer ones: when the time is over, no more than half are in vain."""


@dataclass(frozen=True)
class Answer:
    """Results for one state (an array of one row).

    They are: its successors with their actions and counters; the properties that hold in the state, in each successor
    and on each step; which of these states are inside the constraints, and their keys (with constraints or views); how
    many attempts of some actions each guard has stopped; and the paths that its steps take.
    """

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
    paths: frozenset[int]


def answer(expansion: Expansion, row: Any, probes: Mapping[str, Probe] | None = None) -> Answer:
    """The results of machine code for a state."""
    return next(answers(expansion, [row], probes))


def answers(expansion: Expansion, rows: Iterable[Any], probes: Mapping[str, Probe] | None = None) -> Iterator[Answer]:
    """The results for some states, each an array of one row. States are expanded one by one, to count each by itself;
    properties are evaluated on up to TOGETHER states at once, each with its successors."""
    left, number = iter(rows), 1
    while some := list(islice(left, number)):
        yield from _together(expansion, some, probes or {})
        number = min(2 * number, TOGETHER)


def _together(expansion: Expansion, rows: list[Any], probes: Mapping[str, Probe]) -> list[Answer]:
    shape, steps = expansion.program, [_steps(expansion, row) for row in rows]
    ends = np.cumsum([len(after) for after, *_ in steps]).tolist()
    sources = np.repeat(np.arange(len(rows), dtype=np.uint32), [len(after) for after, *_ in steps])
    states, after = np.concatenate(rows), np.concatenate([after for after, *_ in steps])
    held, held_after = (_held(expansion, shape.state_groups, some) for some in (states, after))
    on_steps = _held(expansion, shape.step_groups, after, states, sources)
    found = []
    for at, (row, (following, actions, counted, paths)) in enumerate(zip(rows, steps, strict=True)):
        part = slice(ends[at] - len(following), ends[at])
        both = np.concatenate([row, following])
        found.append(
            Answer(
                row,
                following,
                actions,
                counted,
                held[at],
                tuple(held_after[part]),
                tuple(on_steps[part]),
                expansion.inside(both) if shape.constrained else np.ones(len(both), bool),
                expansion.keys(both) if shape.viewed else both,
                {name: stopped(probe, [row]) for name, probe in probes.items()},
                paths,
            )
        )
    return found


def _steps(expansion: Expansion, row: Any) -> tuple[Any, Any, Any, frozenset[int]]:
    """The successors of a state, their actions, its counters, and the paths that its steps take."""
    before = expansion.counters.copy()
    expansion.notes.clear()
    found, _ = expansion.expand(row)
    counted, paths = expansion.counters - before, expansion.notes.taken()
    return found.copy(), expansion.actions(slice(len(found))).copy(), counted, paths


def _held(expansion: Expansion, groups: Sequence[Group], states: Any, *given: Any) -> list[Held]:
    """The watches that hold in each of some states, or on each step."""
    found: list[set[int]] = [set() for _ in states]
    for watch, holds in expansion.judged(groups, states, *given) if len(states) else ():
        for at in np.flatnonzero(holds).tolist():
            found[at].add(watch)
    return [frozenset(watches) for watches in found]
