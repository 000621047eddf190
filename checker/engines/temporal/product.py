"""The product of a state graph and an automaton: whether some fair behaviour is accepted, and which.

A node is a state with a location of the automaton whose literals it satisfies. A behaviour may pause, so each state
also has a step that changes nothing, by which only the location moves. That an `until` is fulfilled again and again is
one more fairness assumption, and so is that the automaton never stops; the search for fair cycles does the rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...language import marks
from ...language.formulas import Form
from ..memory import available, shown
from .automaton import Automaton, automaton_of, negated
from .fairness import Assumed
from .graph import BYTES_PER_STATE, BYTES_PER_STEP, Graph
from .lassos import Lasso, Lassos, Sought


class TooLarge(Exception):
    """The product does not fit into memory; the text says how much it needs."""


def refutation(
    graph: Graph, fair: Sequence[Assumed], form: Form, conditions: Sequence[Any]
) -> tuple[Lasso, list[int], int] | None:
    """A fair behaviour on which a form is false, its states, and how many states are on such cycles."""
    automaton, size = automaton_of(negated(form)), len(graph.level)
    moves = sum(map(len, automaton.successors)) * (size + len(graph.source))
    need = size * len(automaton.locations) * BYTES_PER_STATE + moves * BYTES_PER_STEP
    if need > 0.85 * available():
        raise TooLarge(
            f"needs {shown(need)} for the product with the {len(automaton.locations)} locations of its automaton"
        )
    pause = _pause(graph, fair)
    both, nodes = product(graph, automaton, conditions, pause)
    lassos = Lassos(both, assumptions(graph, automaton, fair, pause))
    _, found = lassos.find(Sought(both.level == 1, nodes, np.ones(len(both.source), bool)), [])
    if found is None:
        return None
    way = _without_pauses([node % size for node in found[0].way])
    cycle = _without_pauses([way[-1], *(node % size for node in found[0].cycle)])[1:]
    states = np.unique(np.flatnonzero(lassos.fair_nodes) % size)
    return Lasso(way, cycle, 0), way + cycle[:-1], len(states)


def _without_pauses(states: Sequence[int]) -> list[int]:
    """Numbers of states without steps that change nothing."""
    return [int(state) for state, _ in itertools.groupby(states)]


def product(graph: Graph, automaton: Automaton, conditions: Sequence[Any], pause: int) -> tuple[Graph, Any]:
    """(the product, which of its nodes there are). Node number q * states + s is state s in location q; `pause` is the
    number of the step that changes nothing."""
    size, count = len(graph.level), len(automaton.locations)
    able = np.ones((count, size), bool)
    for q, location in enumerate(automaton.locations):
        for number, value in location.literals:
            able[q] &= conditions[number] == value
    everyone = np.arange(size)
    parts = []
    for q, following in enumerate(automaton.successors):
        for after in following:
            moves = able[q][graph.source] & able[after][graph.target]
            stays = able[q] & able[after]
            source = np.concatenate([graph.source[moves], everyone[stays]]) + q * size
            target = np.concatenate([graph.target[moves], everyone[stays]]) + after * size
            parts.append((source, target, np.concatenate([graph.action[moves], np.full(stays.sum(), pause)])))
    parts = parts or [(np.zeros(0, np.int64),) * 3]
    source, target, action = (np.concatenate([part[k] for part in parts]).astype(np.int64) for k in range(3))
    first = np.zeros((count, size), bool)
    first[automaton.initial] = able[automaton.initial] & (graph.level == 1)
    level = np.where(first.reshape(-1), 1, 2)
    return Graph(graph.states, level, source, target, action, [], graph.steps), able.reshape(-1)


def assumptions(graph: Graph, automaton: Automaton, fair: Sequence[Assumed], pause: int) -> list[Assumed]:
    """What is fair on the product: what is so on the graph, each `until`, and that the automaton goes on."""
    size, count, nothing = len(graph.level), len(automaton.locations), np.zeros(0, bool)
    found = [Assumed(one.strength, one.member, np.tile(one.enabled, count)) for one in fair]
    for until in range(automaton.accepting):
        waiting = [until not in location.fulfilled for location in automaton.locations]
        found.append(Assumed(marks.WEAK, nothing, np.repeat(np.array(waiting, bool), size)))
    any_step = np.ones(pause + 1, bool)
    return [*found, Assumed(marks.WEAK, any_step, np.ones(size * count, bool))]


def _pause(graph: Graph, fair: Sequence[Assumed]) -> int:
    """The number of the step that changes nothing: behind those of all action instances, taken or fair."""
    return max([int(graph.action.max(initial=-1)) + 1, *(len(one.member) for one in fair)])
