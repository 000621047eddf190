"""Fair cycles of a graph: on which states a behaviour may stay for ever without neglecting what is fair.

A behaviour that stays in a set of states for ever visits, from some time on, the states of one strongly connected
component again and again; a state at which nothing happens any more is a component of its own. Machine code finds the
components and what each neglects (see graph_passes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backends.native.interface import CLOSED, NO_NODE
from ...results.text import count
from ..observer import Observer, Silent
from .assumptions import Assumptions
from .graph import Graph, code


@dataclass(frozen=True)
class Sought:
    """How a behaviour would violate a property.

    It reaches one of `starts` and from there on stays in `nodes`, on `steps` (booleans for each step of the graph); if
    `wanted` is given, it visits these states or takes these steps again and again.
    """

    starts: Any
    nodes: Any
    steps: Any
    wanted: Any = None
    wanted_steps: Any = None


@dataclass(frozen=True)
class Round:
    """Why the components of one round are not fair: a certificate, which the cross-check verifies.

    `left` says which nodes were looked at, `here` is the component of each. No step leads to a component with a greater
    number. `neglected` has for each component a mask of the assumptions that it neglects, and of the goal.
    """

    left: Any
    here: Any
    neglected: Any


class Search:
    """A search for the components of a part of a graph."""

    def __init__(self, graph: Graph, fair: Assumptions, sought: Sought) -> None:
        self.graph, self.fair = graph, fair
        self.enabled, self.weak, self.goal = graph.enabled, fair.weak, 0
        if sought.wanted is not None:
            self.enabled, self.weak, self.goal = fair.wanting(graph.enabled, sought.wanted)
        self.steps = None if sought.steps.all() else sought.steps.view(np.uint8)
        if sought.wanted_steps is not None and sought.wanted_steps.any():
            self.steps = sought.steps.view(np.uint8) | (sought.wanted_steps.view(np.uint8) << 1)

    def components(self, nodes: Any, starts: Any, on_progress: Callable[[int, int], None]) -> Round:
        """The components that can be reached from some nodes within others, all that is left.

        `on_progress` gets how many states were visited and how many components are known.
        """
        graph, size, words = self.graph, self.graph.size, len(self.weak)
        starts = np.flatnonzero(starts & nodes).astype(np.uint32)
        records, stack = np.empty((size + 1, 2), np.uint32), np.empty(size, np.uint32)
        frames, neglected = np.empty((size, 4), np.uint64), np.empty(size, np.uint64)
        records[:, 1] = graph.first
        given = {
            "records": records,
            "targets": graph.target,
            "actions": graph.action,
            "steps": self.steps,
            "starts": starts,
            "last": len(starts),
            "size": size,
            "top": size,
            "stack": stack,
            "frames": frames,
        }
        masks, found = [], 0
        for word in range(words):  # the components are the same each time
            records[:-1, 0] = np.where(nodes, np.uint32(0), np.uint32(NO_NODE))
            more = {
                "enabled": self.enabled[word],
                "members": self.fair.members[word],
                "neglected": neglected,
                "weak": int(self.weak[word]),
                "strong": int(self.fair.strong[word]),
                "goal": self.goal if word == words - 1 else 0,
            }
            for visited, found in code().components(given | more):
                on_progress(visited, found)
            masks.append(neglected[:found].copy())
        left = nodes & (records[:-1, 0] != 0)
        return Round(left, np.where(left, records[:-1, 0] & np.uint32(CLOSED - 1), 0), np.array(masks))


def fair_components(
    graph: Graph,
    fair: Assumptions,
    sought: Sought,
    rounds: list[Round] | None = None,
    observer: Observer | None = None,
) -> tuple[Any, Any]:
    """(the nodes that a behaviour can reach, those on which a fair one may stay for ever).

    The latter by label of their component, -1 for others.

    What is weakly fair is not neglected where it is taken or disabled within the component, what is strongly fair
    where it is taken or disabled throughout. States that enable something neglected that is strongly fair are left out,
    and the rest is searched again (E. A. Emerson, C.-L. Lei: Modalities for Model Checking, 1987). If something is
    wanted, only components count that have it. What each round has found is added to `rounds`.
    """
    search, observer = Search(graph, fair, sought), observer or Silent()
    labels, region = np.full(graph.size, -1), None
    left, starts, labelled, number = sought.nodes, sought.starts, 0, 0
    while region is None or left.any():
        number += 1

        def on_progress(
            visited: int, found: int, number: int = number, total: int = int(np.count_nonzero(left))
        ) -> None:
            parts = count(found, "component")
            observer.part(f"looking for fair cycles, round {number}, {parts}, states", visited, total)

        found = search.components(left, starts, on_progress)
        left, here = found.left, found.here
        region = left if region is None else region
        if rounds is not None:
            rounds.append(found)
        good = ~found.neglected.any(axis=0)
        if good.any():
            fair_here = left & good[here]
            labels[fair_here] = here[fair_here].astype(np.int64) + labelled
        labelled += len(good)
        harmed = found.neglected & fair.strong[:, None]
        if not harmed.any():
            break
        dropped = left & (graph.enabled & harmed[:, here]).any(axis=0)
        again = np.zeros(len(good), bool)
        again[here[dropped]] = True
        starts = left = left & again[here] & ~dropped
    return region, labels
