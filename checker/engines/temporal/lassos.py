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
from .fairness import Round, Sought, fair_components
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

    def find(self, sought: Sought, rounds: list[Round]) -> tuple[Any, tuple[Lasso, int] | None]:
        """(in which states it may be waited, a lasso that waits for ever and how many states are on such cycles)."""
        region, labels = fair_components(self.graph, self.fair, sought, rounds, self.observer)
        self.fair_nodes = labels >= 0
        if not self.fair_nodes.any():
            return region, None
        way, since = self._way(sought, region)
        cycle = Cycle(self.graph, self.fair, sought, labels == labels[way[-1]])
        return region, (Lasso(way, cycle.through(way[-1]), since), int(np.count_nonzero(self.fair_nodes)))

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
    """A cycle of one component, whose nodes are `member`, on which nothing is neglected."""

    def __init__(self, graph: Graph, fair: Assumptions, sought: Sought, member: Any) -> None:
        self.graph, self.fair, self.sought, self.member = graph, fair, sought, member
        self.inner = sought.steps & member[graph.source] & member[graph.target]

    def through(self, start: int) -> list[int]:
        """The nodes after `start`; none when nothing needs to happen."""
        path, wanted = [start], self.sought.wanted
        nowhere = np.zeros(len(self.member), bool)
        if wanted is not None and not wanted[start]:
            path = self._towards(path, self.member & wanted, self.inner & self.sought.wanted_steps)
        for number, one in enumerate(self.fair.fair):
            able = has(self.graph.enabled, number)
            weak = one.strength == marks.WEAK
            calm = (~able[path]).any() if weak else not able[self.member].any()
            if not calm and not self._takes(path, number):
                leaving = self.inner & has(self.fair.members[:, self.graph.action], number)
                path = self._towards(path, self.member & ~able if weak else nowhere, leaving)
        if len(path) > 1 and path[-1] != start:
            ends = nowhere.copy()
            ends[start] = True
            path += self._shortest(path[-1], ends)[1:]
        return path[1:]

    def _takes(self, path: list[int], number: int) -> bool:
        """Whether a step of a path may belong to an assumption."""
        steps = [self.graph.between(a, b) for a, b in itertools.pairwise(path)]
        taken = [self.graph.action[some[self.inner[some]]] for some in steps]
        return any(has(self.fair.members[:, some], number).any() for some in taken)

    def _towards(self, path: list[int], ends: Any, leaving: Any) -> list[int]:
        """A path, and on to one of some ends or over one of some steps."""
        graph, goals = self.graph, ends.copy()
        goals[graph.source[leaving]] = True
        path = path + self._shortest(path[-1], goals)[1:]
        if not ends[path[-1]]:
            steps = graph.leaving(path[-1])
            path.append(graph.least(graph.target[steps][leaving[steps]]))
        return path

    def _shortest(self, start: int, ends: Any) -> list[int]:
        """A shortest way from a node to one of some ends, of equally short ones by the least nodes from behind."""
        graph = self.graph
        time = distances(graph, self.inner, self.member, np.array([start]), np.zeros(1))
        way = [_nearest(graph, time, ends)]
        while way[0] != start:
            way.insert(0, graph.before(way[0], time, self.inner))
        return way


def distances(graph: Graph, steps: Any, nodes: Any, starts: Any, delays: Any) -> Any:
    """How many steps each of some nodes is away from the nearest of some starts, and the delay of that; -1 where none
    leads there."""
    given = (starts.astype(np.uint32), delays.astype(np.int32))
    return code().distances((graph.first, graph.target), steps.view(np.uint8), nodes.view(np.uint8), *given)


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
