"""The product of a state graph and an automaton: whether some fair behaviour is accepted, and which.

A node is a state with a location of the automaton whose literals it satisfies. A behaviour may pause, so each state
also has a step that changes nothing, by which only the location moves. That an `until` is fulfilled again and again is
one more fairness assumption, and so is that the automaton never stops; the search for fair cycles does the rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...language import marks
from ...language.fairness import Disjunction
from ...language.formulas import Form
from ..memory import available, shown
from ..observer import Observer
from .assumptions import BITS, Assumptions, assumed
from .automaton import Automaton, automaton_of, negated
from .fairness import Sought
from .graph import Graph, memory, of_edges
from .lassos import Lasso, Lassos
from .step_assumptions import Column, NotJudged

PAUSE = -1
"""The number of the step that changes nothing, beside those of action instances."""


@dataclass(frozen=True)
class Lost:
    """A fair behaviour on which a formula is false: its lasso, its states, and how many states are on such cycles.

    `paused` has the states with the pauses between them, and the place to which they go back.
    """

    lasso: Lasso
    states: list[int]
    count: int
    paused: tuple[list[int], int]

    def steps(self) -> list[tuple[int, int]]:
        """The steps of the behaviour, with pauses: the last one leads back."""
        states, loop = self.paused
        return list(zip(states, [*states[1:], states[loop]], strict=True))


class Refutation:
    """The search for a fair behaviour on which a form is false; `found` is None where there is none, and then `rounds`
    say why (see certificate)."""

    def __init__(
        self,
        graph: Graph,
        fair: Assumptions,
        form: Form,
        conditions: Sequence[Column],
        observer: Observer | None = None,
    ) -> None:
        self.automaton, self.size = automaton_of(negated(form)), len(graph.level)
        self._check_memory(graph)
        self.fair = assumptions(self.automaton, fair)
        both, nodes = product(graph, self.automaton, conditions, self.fair)
        lassos = Lassos(both, self.fair, observer)
        sought = Sought(both.level == 1, nodes)
        self.rounds, found = lassos.find(sought)
        self.found = None if found is None else self._lost(found[0], lassos.fair_nodes)

    def _lost(self, lasso: Lasso, fair_nodes: Any) -> Lost:
        full = [node % self.size for node in (*lasso.way, *lasso.cycle[:-1])]
        way = _without_pauses([node % self.size for node in lasso.way])
        cycle = _without_pauses([way[-1], *(node % self.size for node in lasso.cycle)])[1:]
        count = int(np.count_nonzero(fair_nodes.reshape(-1, self.size).any(axis=0)))
        return Lost(Lasso(way, cycle, 0), way + cycle[:-1], count, (full, len(lasso.way) - 1))

    def _check_memory(self, graph: Graph) -> None:
        """NotJudged where the product does not fit."""
        locations = len(self.automaton.locations)
        moves = sum(map(len, self.automaton.successors)) * (self.size + len(graph.target))
        need = memory(self.size * locations, moves, 0)
        if need > 0.85 * available():
            raise NotJudged(f"needs {shown(need)} for the product with the {locations} locations of its automaton")


def _without_pauses(states: Sequence[int]) -> list[int]:
    """Numbers of states without steps that change nothing."""
    return [int(state) for state, _ in itertools.groupby(states)]


def product(graph: Graph, automaton: Automaton, conditions: Sequence[Column], fair: Assumptions) -> tuple[Graph, Any]:
    """(the product, which of its nodes there are). Node number q * states + s is state s in location q.

    The literals of a location must hold on the step that leaves the node. Where all conditions are about states, a node
    has a state that satisfies them.

    The last action of `fair` is the step that changes nothing.
    """
    size, count, pause = graph.size, len(automaton.locations), fair.members.shape[1] - 1
    staying = np.ones((count, size), bool)
    for q, location in enumerate(automaton.locations):
        for number, value in location.literals:
            staying[q] &= conditions[number].stays == value
    able = staying if all(column.moves is None for column in conditions) else np.ones((count, size), bool)
    everyone, parts = np.arange(size), [(np.zeros(0, np.int64),) * 3]
    for q, following in enumerate(automaton.successors):
        moving = np.ones(len(graph.target), bool)
        for number, value in automaton.locations[q].literals:
            moving &= conditions[number].on_steps(graph) == value
        for after in following:
            moves = moving & able[after][graph.target]
            stays = staying[q] & able[after]
            source = np.concatenate([graph.source[moves], everyone[stays]]) + q * size
            target = np.concatenate([graph.target[moves], everyone[stays]]) + after * size
            parts.append((source, target, np.concatenate([graph.action[moves], np.full(stays.sum(), pause)])))
    source, target, action = (np.concatenate([part[k] for part in parts]) for k in range(3))
    starts = np.zeros((count, size), bool)
    starts[automaton.initial] = able[automaton.initial] & (graph.level == 1)
    level = np.where(starts.reshape(-1), 1, 2).astype(np.int32)
    enabled = _enabled(graph, automaton, fair)
    return of_edges(graph.states, level, (source, target, action), enabled, graph.steps), able.reshape(-1)


def _enabled(graph: Graph, automaton: Automaton, fair: Assumptions) -> Any:
    """The assumptions that are enabled in each node: those enabled in its state, each `until` that its location does
    not fulfil, and the moves of the automaton."""
    found = np.zeros((len(fair.members), len(automaton.locations), graph.size), np.uint64)
    found[: len(graph.enabled)] = graph.enabled[:, None]
    first = len(fair.fair) - 1 - automaton.accepting
    for q, location in enumerate(automaton.locations):
        waiting = [first + until for until in range(automaton.accepting) if until not in location.fulfilled]
        for number in (*waiting, len(fair.fair) - 1):
            found[number // BITS, q] |= np.uint64(1 << number % BITS)
    return found.reshape(len(found), -1)


def assumptions(automaton: Automaton, fair: Assumptions) -> Assumptions:
    """The fairness assumptions of the product: those of the graph, each `until`, and the moves of the automaton.

    There is one more action, which changes nothing.
    """
    actions = fair.members.shape[1] + 1
    untils = [Disjunction(marks.WEAK, ())] * automaton.accepting
    return assumed([*fair.fair, *untils, Disjunction(marks.WEAK, tuple(range(actions)))], actions)
