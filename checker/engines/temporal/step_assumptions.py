"""What @temporal_assumption methods assume of behaviours: fairness of steps, and other formulas.

Fairness of steps costs no more than fairness of actions. Each step of the graph gets an action number of its own for
the actions and the assumptions that it belongs to; then the search for fair cycles does the rest. Other assumptions
become the left side of an implication, and the automaton of the property judges them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...language import formulas as ltl
from ...language import marks
from ...language.declarations import Property
from ...language.fairness import Disjunction
from ...language.formulas import Form
from .assumptions import BITS, Assumptions, assumed
from .graph import Graph

MOST_ACTIONS = 1 << 16
FORMS: dict[str, Form] = {
    marks.EVENTUALLY: (ltl.EVENTUALLY, 0),
    marks.LEADS_TO: (ltl.ALWAYS, (ltl.IMPLIES, 0, (ltl.EVENTUALLY, 1))),
    marks.INFINITELY_OFTEN: (ltl.ALWAYS, (ltl.EVENTUALLY, 0)),
    marks.EVENTUALLY_ALWAYS: (ltl.EVENTUALLY, (ltl.ALWAYS, 0)),
}
"""The kinds of temporal properties as formulas; a @leads_to has two conditions."""


class NotJudged(Exception):
    """Why a property cannot be judged: the rest of a sentence about it."""


@dataclass(frozen=True)
class Column:
    """The values of a condition: in each state where nothing changes, and on each step; `moves` is None for a condition
    of the state that a step leaves."""

    stays: Any
    moves: Any = None

    def on_steps(self, graph: Graph) -> Any:
        """Its value on each step."""
        return self.stays[graph.source] if self.moves is None else self.moves

    def between(self, graph: Graph, state: int, following: int) -> bool:
        """Its value on a step from one state to another, or where nothing changes."""
        if self.moves is None or state == following:
            return bool(self.stays[state])
        return bool(self.moves[graph.between(state, following)][0])


@dataclass(frozen=True)
class StepFairness:
    """Fairness of the steps on which a condition of an assumption holds, while another one does.

    `taken` and `enabled` are the numbers of the conditions; without `enabled` such a step is always enabled.
    """

    prop: Property
    strength: str
    enabled: int | None
    taken: int


@dataclass(frozen=True)
class Antecedent:
    """An assumption that is no fairness of steps: a formula over its conditions."""

    prop: Property
    form: Form
    columns: Sequence[Column]


def parts_of(form: Form) -> list[Form]:
    """The conjuncts of a form."""
    return [part for each in form[1:] for part in parts_of(each)] if form[0] == ltl.AND else [form]


def fairness_of(prop: Property, form: Form, columns: Sequence[Column], graph: Graph) -> StepFairness | None:
    """A form as fairness of steps, where it is one: its steps change something, and `enabled` depends on the state."""
    enabled: Any = None
    match form:
        case (ltl.ALWAYS, (ltl.EVENTUALLY, int(taken))):
            strength = marks.WEAK
        case (ltl.IMPLIES, (ltl.EVENTUALLY, (ltl.ALWAYS, int(enabled))), (ltl.ALWAYS, (ltl.EVENTUALLY, int(taken)))):
            strength = marks.WEAK
        case (ltl.IMPLIES, (ltl.ALWAYS, (ltl.EVENTUALLY, int(enabled))), (ltl.ALWAYS, (ltl.EVENTUALLY, int(taken)))):
            strength = marks.STRONG
        case _:
            return None
    if columns[taken].stays.any():
        return None
    if enabled is not None and not (columns[enabled].on_steps(graph) == columns[enabled].stays[graph.source]).all():
        return None
    return StepFairness(prop, strength, enabled, taken)


def with_steps(
    graph: Graph, fair: Assumptions, more: Sequence[tuple[StepFairness, Sequence[Column]]]
) -> tuple[Graph, Assumptions]:
    """The graph and its assumptions with fairness of steps, behind that of actions."""
    if not more:
        return graph, fair
    action = graph.action.astype(np.int64)
    origin = np.arange(fair.members.shape[1])
    belongs = np.zeros((0, len(origin)), bool)
    for one, columns in more:
        pairs, action = np.unique(action * 2 + columns[one.taken].on_steps(graph), return_inverse=True)
        origin, belongs = origin[pairs // 2], np.vstack([belongs[:, pairs // 2], pairs % 2 == 1])
        if len(pairs) >= MOST_ACTIONS:
            raise NotJudged("needs more than 65,536 kinds of steps")
    old = [replace(d, instances=tuple(np.flatnonzero(np.isin(origin, d.instances)).tolist())) for d in fair.fair]
    new = [
        Disjunction(one.strength, tuple(np.flatnonzero(mine).tolist()))
        for (one, _), mine in zip(more, belongs, strict=True)
    ]
    both = assumed([*old, *new], max(1, len(origin)))
    enabled = np.zeros((len(both.members), graph.size), np.uint64)
    enabled[: len(graph.enabled)] = graph.enabled
    for number, (one, columns) in enumerate(more, len(old)):
        able = True if one.enabled is None else columns[one.enabled].stays
        enabled[number // BITS] |= np.where(able, np.uint64(1 << number % BITS), np.uint64(0))
    return replace(graph, action=action.astype(np.uint16), enabled=enabled), both


def implied(antecedents: Sequence[Antecedent], form: Form, columns: Sequence[Column]) -> tuple[Form, list[Column]]:
    """That a form holds wherever all assumptions do, and the conditions of all of them."""
    if not antecedents:
        return form, list(columns)
    lefts, found = list[Form](), list[Column]()
    for one in antecedents:
        lefts.append(_shifted(one.form, len(found)))
        found += one.columns
    return (ltl.IMPLIES, (ltl.AND, *lefts), _shifted(form, len(found))), [*found, *columns]


def _shifted(form: Any, by: int) -> Any:
    return (form[0], *(_shifted(part, by) for part in form[1:])) if isinstance(form, tuple) else form + by
