"""Fair lassos of a graph: a shortest way to a fair cycle, and a cycle that visits what fairness asks for.

The cycle visits one thing after the other, each on a shortest way; of equally short ones the least states decide.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...language import marks
from ..observer import Observer
from .assumptions import Assumptions, has
from .fairness import Round, Search, Sought, fair_components
from .graph import Graph, code


@dataclass(frozen=True)
class Lasso:
    """Numbers of nodes: the way to the cycle, whose first node is its last one, and then the rest of the cycle.

    `waiting` is the place in the way from which on the property waits.
    """

    way: list[int]
    cycle: list[int]
    waiting: int


class Lassos:
    """Finds fair lassos in a graph."""

    def __init__(self, graph: Graph, fair: Assumptions, observer: Observer | None = None) -> None:
        self.graph, self.fair, self.observer = graph, fair, observer
        self.search = Search(graph, fair)

    def find(self, sought: Sought) -> tuple[list[Round], tuple[Lasso, int] | None]:
        """(the rounds of the search, a lasso that waits for ever and how many states are on such cycles)."""
        rounds, labels = fair_components(self.search, sought, self.observer)
        if labels is None:
            return rounds, None
        self.fair_nodes = labels >= 0
        way, since = self._way(sought, rounds[0].left)
        nodes = np.flatnonzero(labels == labels[way[-1]])
        cycle = Cycle(self.graph, self.fair, sought, nodes).through(way[-1])
        return rounds, (Lasso(way, cycle, since), int(np.count_nonzero(self.fair_nodes)))

    def _way(self, sought: Sought, region: Any) -> tuple[list[int], int]:
        """A shortest way from an initial state to a fair node, and the place where it begins to wait."""
        graph, level = self.graph, self.graph.level
        starts = np.flatnonzero(sought.starts & region)
        time = distances(graph, sought.steps, region, starts, level[starts] - 1)
        way = [_nearest(graph, time, self.fair_nodes)]
        while not (sought.starts[way[0]] and level[way[0]] == time[way[0]] + 1):
            way.insert(0, graph.before(way[0], time, sought.steps))
        waiting = int(time[way[0]])
        return [*way_to(graph, way[0])[:-1], *way], waiting


class Cycle:
    """A cycle of one component, given by its nodes, on which nothing is neglected."""

    def __init__(self, graph: Graph, fair: Assumptions, sought: Sought, nodes: Any) -> None:
        self.nodes, self.fair = nodes, fair
        self.graph, steps = graph.part(nodes, sought.steps)
        self.wanted = None if sought.wanted is None else sought.wanted[nodes]
        self.wanted_steps = None if sought.wanted_steps is None else sought.wanted_steps[steps]
        self.masks = fair.members[:, self.graph.action]

    def through(self, start: int) -> list[int]:
        """The nodes after `start`; none when nothing needs to happen."""
        begin = int(np.searchsorted(self.nodes, start))
        self.path, self.taken = [begin], np.zeros((len(self.masks), 1), np.uint64)
        if self.wanted is not None and not self.wanted[begin]:
            self._go(self.wanted, self.wanted_steps)
        for number, one in enumerate(self.fair.fair):
            able = has(self.graph.enabled, number)
            weak = one.strength == marks.WEAK
            calm = not able[self.path].all() if weak else not able.any()
            if not calm and not has(self.taken, number).any():
                self._go(~able if weak else None, has(self.masks, number))
        if len(self.path) > 1 and self.path[-1] != begin:
            ends = np.zeros(len(self.nodes), bool)
            ends[begin] = True
            self._append(self._shortest(ends))
        found: list[int] = self.nodes[self.path[1:]].tolist()
        return found

    def _go(self, ends: Any, leaving: Any) -> None:
        """Extend the path to one of some ends or over one of some steps; None where there are none of these."""
        graph = self.graph
        ends = np.zeros(len(self.nodes), bool) if ends is None else ends
        goals = ends.copy()
        if leaving is not None:
            goals[graph.source[leaving]] = True
        self._append(self._shortest(goals))
        if not ends[self.path[-1]]:
            steps = graph.leaving(self.path[-1])
            self._append([graph.least(graph.target[steps][leaving[steps]])])

    def _append(self, nodes: list[int]) -> None:
        """Extend the path, and note what the steps belong to."""
        for before, node in itertools.pairwise([self.path[-1], *nodes]):
            steps = self.graph.between(before, node)
            self.taken |= np.bitwise_or.reduce(self.masks[:, steps], axis=1, keepdims=True)
        self.path += nodes

    def _shortest(self, ends: Any) -> list[int]:
        """The nodes after the last one on a shortest way from there to one of some ends, of equally short ones by the
        least nodes from behind."""
        graph, start = self.graph, self.path[-1]
        time = distances(graph, None, None, np.array([start]), np.zeros(1))
        way = [_nearest(graph, time, ends)]
        while way[0] != start:
            way.insert(0, graph.before(way[0], time))
        return way[1:]


def distances(graph: Graph, steps: Any, nodes: Any, starts: Any, delays: Any) -> Any:
    """How many steps each node is away from the nearest of some starts, and the delay of that; -1 where none leads
    there. Only some steps and nodes are used, all of them where these are None."""
    given = (starts.astype(np.uint32), delays.astype(np.int32))
    return code().distances((graph.first, graph.target), steps, nodes, *given)


def way_to(graph: Graph, node: int) -> list[int]:
    """A shortest way from an initial state to a node."""
    way = [int(node)]
    while graph.level[way[0]] > 1:
        way.insert(0, graph.before(way[0], graph.level))
    return way


def _nearest(graph: Graph, time: Any, ends: Any) -> int:
    """The least of those ends that are reached first."""
    found = np.flatnonzero(ends & (time >= 0))
    return graph.least(found[time[found] == time[found].min()])
