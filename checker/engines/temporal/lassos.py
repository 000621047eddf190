"""Fair lassos of a graph: a shortest way to a fair cycle, and a cycle that visits what fairness asks for.

The cycle visits one thing after the other, each on a shortest way; of equally short ones the least nodes decide.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...language import marks
from ..observer import Observer
from .fairness import Assumed, Round, Steps, fair_components, reached, taken, truths
from .graph import Graph


@dataclass(frozen=True)
class Sought:
    """How a behaviour would break a property.

    It comes to one of `starts` and from there on stays in `nodes`, on `steps` (truths for each step of the graph); if
    `wanted` is given, it comes by these states or steps again and again.
    """

    starts: Any
    nodes: Any
    steps: Any
    wanted: Any = None
    wanted_steps: Any = None


@dataclass(frozen=True)
class Lasso:
    """Numbers of states: the way to the cycle, whose first state is its last one, and then the rest of the cycle.

    `waiting` is the place in the way from which on the property waits.
    """

    way: list[int]
    cycle: list[int]
    waiting: int


class Lassos:
    """Finds fair lassos in a graph."""

    def __init__(self, graph: Graph, fair: Sequence[Assumed], observer: Observer | None = None) -> None:
        self.graph, self.fair, self.observer = graph, fair, observer

    def find(self, sought: Sought, rounds: list[Round]) -> tuple[Any, tuple[Lasso, int] | None]:
        """(in which states it may be waited, a lasso that waits for ever and how many states are on such cycles)."""
        graph, nodes = self.graph, sought.nodes
        extra = np.zeros(len(graph.source), bool) if sought.wanted_steps is None else sought.wanted_steps
        steps = Steps(graph.source, graph.target, graph.action, extra)
        steps = steps.where(nodes[graph.source] & nodes[graph.target] & sought.steps)
        region = reached(steps.source, steps.target, sought.starts)
        steps = steps.where(region[steps.source])
        labels = fair_components(steps, region, self.fair, sought.wanted, rounds, self.observer)
        self.fair_nodes = labels >= 0
        if (labels < 0).all():
            return region, None
        way, since = self._way(sought.starts, steps, labels >= 0)
        member = labels == labels[way[-1]]
        inner = steps.where(member[steps.source] & member[steps.target])
        lasso = Lasso(way, self._cycle(way[-1], member, inner, sought.wanted), since)
        return region, (lasso, int((labels >= 0).sum()))

    # -- the way to the cycle ------------------------------------------------------------------------------

    def _way(self, starts: Any, steps: Steps, ends: Any) -> tuple[list[int], int]:
        """A shortest way from an initial state to one of `ends`, and the place where it begins to wait."""
        source, target = steps.source, steps.target
        level, time = self.graph.level, np.full(len(self.graph.level), -1)
        now, found = 0, np.flatnonzero(ends[:0])
        while not len(found):
            arriving = starts & (level == now + 1)
            if now:
                arriving[target[time[source] == now - 1]] = True
            arriving &= time < 0
            time[arriving] = now
            found, now = np.flatnonzero(arriving & ends), now + 1
        way = [int(found[0])]
        while not (starts[way[0]] and level[way[0]] == time[way[0]] + 1):
            way.insert(0, before(source, target, time, way[0]))
        waiting = int(time[way[0]])
        while level[way[0]] > 1:
            way.insert(0, before(self.graph.source, self.graph.target, level, way[0]))
        return way, waiting

    # -- the cycle -----------------------------------------------------------------------------------------

    def _cycle(self, start: int, member: Any, steps: Steps, wanted: Any) -> list[int]:
        """The states after `start` on a fair cycle; empty when nothing needs to happen."""
        path, nowhere = [start], np.zeros(len(member), bool)
        if wanted is not None and not wanted[start]:
            path = _towards(path, steps, member & wanted, steps.wanted)
        for one in self.fair:
            able = one.enabled
            calm = (not able[member].any()) if one.strength == marks.STRONG else (~able[path]).any()
            if not calm and not taken(one, self._taken(path, steps)).any():
                ends = member & ~able if one.strength == marks.WEAK else nowhere
                path = _towards(path, steps, ends, taken(one, steps.action))
        if len(path) > 1 and path[-1] != start:
            path += _shortest(steps, path[-1], truths([start], len(member)))[1:]
        return path[1:]

    def _taken(self, path: list[int], steps: Steps) -> Any:
        """The actions that may have been taken on a path."""
        on_path = [(steps.source == a) & (steps.target == b) for a, b in itertools.pairwise(path)]
        return np.concatenate([steps.action[:0], *(steps.action[step] for step in on_path)])


def before(source: Any, target: Any, moment: Any, node: int) -> int:
    """The least node that leads to a node and was there one moment earlier."""
    found = source[target == node]
    return int(found[moment[found] == moment[node] - 1].min())


def _towards(path: list[int], steps: Steps, ends: Any, leaving: Any) -> list[int]:
    """A path, and on to one of some ends or over one of some steps."""
    path = path + _shortest(steps, path[-1], ends | truths(steps.source[leaving], len(ends)))[1:]
    if not ends[path[-1]]:
        path.append(int(steps.target[(steps.source == path[-1]) & leaving].min()))
    return path


def _shortest(steps: Steps, start: int, ends: Any) -> list[int]:
    """A shortest way from a node to one of some ends, of equally short ones by the least nodes from behind."""
    source, target = steps.source, steps.target
    time = np.full(len(ends), -1)
    time[start], now = 0, 0
    while not (found := np.flatnonzero((time == now) & ends)).size:
        fresh = target[(time[source] == now) & (time[target] < 0)]
        assert len(fresh), "the nodes of a component reach each other"
        now += 1
        time[fresh] = now
    way = [int(found[0])]
    while way[0] != start:
        way.insert(0, before(source, target, time, way[0]))
    return way
