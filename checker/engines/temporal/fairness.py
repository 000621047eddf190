"""Fair cycles of a graph: on which states a behaviour may stay for ever without neglecting what is fair.

A behaviour that stays in a set of states for ever visits, from some time on, the states of one strongly connected
component again and again; a state at which nothing happens any more is a component of its own. Machine code finds the
components and what each neglects (see graph_passes).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...backends.native.interface import AHEAD, SEARCH
from ...results.text import count
from ..memory import LINE, Workspace
from ..observer import Observer, Silent
from .assumptions import Assumptions
from .graph import Graph, code


@dataclass(frozen=True)
class Sought:
    """How a behaviour would violate a property.

    It reaches one of `starts` and from there on stays in `nodes`, on `steps` (booleans for each step of the graph; None
    where all may be taken); if `wanted` is given, it visits these states or takes these steps again and again.
    """

    starts: Any
    nodes: Any
    steps: Any = None
    wanted: Any = None
    wanted_steps: Any = None


@dataclass(frozen=True)
class Round:
    """Why the components of one round are not fair: a certificate, which the cross-check verifies.

    `nodes` are those that were visited, of `size`, one component after the other; `ends` says where each component
    ends. No step leads to a component with a greater number. `neglected` has for each a mask of the assumptions that it
    neglects, and of the goal; `fair` says whether some component neglects nothing.
    """

    size: int
    nodes: Any
    ends: Any
    neglected: Any
    fair: bool

    def copied(self) -> Round:
        """The same on arrays of its own."""
        return Round(self.size, self.nodes.copy(), self.ends.copy(), self.neglected.copy(), self.fair)

    @cached_property
    def left(self) -> Any:
        """Which nodes were visited."""
        found = np.zeros(self.size, bool)
        found[self.nodes] = True
        return found

    @cached_property
    def here(self) -> Any:
        """The component of each node that was visited."""
        found = np.zeros(self.size, np.uint32)
        found[self.nodes] = np.repeat(np.arange(len(self.ends), dtype=np.uint32), np.diff(self.ends, prepend=0))
        return found


class Search:
    """Searches for the components of parts of a graph, one search after the other on the same arrays."""

    def __init__(self, graph: Graph, fair: Assumptions) -> None:
        self.graph, self.fair, size, words = graph, fair, graph.size, len(fair.members)
        space = Workspace((32 + 8 * words) * (size + AHEAD) + 9 * LINE)
        records, self.neglected = space.array((size + 1, 2), np.uint32), space.array((words, size), np.uint64)
        self.order, self.ends = space.array((size + AHEAD,), np.uint32), space.array((size,), np.uint32)
        records[:, 1] = graph.first
        self.slots = np.zeros(len(SEARCH), np.uint64)
        self.given = dict[str, Any]()
        self._set(
            records=records,
            targets=graph.target,
            actions=graph.action,
            size=size,
            loops=graph.loops,
            words=words,
            enabled=graph.enabled,
            members=fair.members,
            instances=fair.members.shape[1],
            strong=fair.strong,
            starts=space.array((size,), np.uint32),
            stack=space.array((size,), np.uint32),
            path=space.array((size, 2), np.uint32),
            order=self.order,
            ends=self.ends,
            neglected=self.neglected,
        )

    def _set(self, **slots: Any) -> None:
        self.given |= slots  # which keeps the arrays
        for name, value in slots.items():
            self.slots[SEARCH[name]] = value.ctypes.data if isinstance(value, np.ndarray) else value or 0

    def begin(self, sought: Sought) -> None:
        """Prepare a search for what breaks a property."""
        steps, wanting = sought.steps, sought.wanted is not None
        if sought.wanted_steps is not None:
            steps = sought.wanted_steps.view(np.uint8) << 1 | (1 if steps is None else steps.view(np.uint8))
        weak, goal = self.fair.wanting() if wanting else (self.fair.weak, 0)
        self._set(nodes=sought.nodes, begins=sought.starts, steps=steps, wanted=sought.wanted, weak=weak, goal=goal)
        code().prepare(self.slots)

    def components(self, on_progress: Callable[[int, int], None]) -> Round:
        """The components that can be reached, and what each neglects, on arrays that the next search overwrites.

        `on_progress` gets how many states were visited and how many components are known.
        """
        for visited, found in code().components(self.slots):
            on_progress(visited, found)
        code().judge(self.slots)
        visited, found, fair = (int(self.slots[SEARCH[name]]) for name in ("visited", "found", "fair"))
        return Round(self.graph.size, self.order[:visited], self.ends[:found], self.neglected[:, :found], fair > 0)

    def leave_out(self) -> int:
        """Leave out the nodes that enable something neglected that is strongly fair; how many are left."""
        return code().leave_out(self.slots)


def fair_components(search: Search, sought: Sought, observer: Observer | None = None) -> tuple[list[Round], Any]:
    """(what each round has found, until the next search; the nodes on which a fair behaviour may stay for ever).

    The latter by label of their component, -1 for others; None where there are none.

    What is weakly fair is not neglected where it is taken or disabled within the component, what is strongly fair
    where it is taken or disabled throughout. States that enable something neglected that is strongly fair are left out,
    and the rest is searched again (E. A. Emerson, C.-L. Lei: Modalities for Model Checking, 1987). If something is
    wanted, only components count that have it.
    """
    observer, rounds, labels, labelled = observer or Silent(), list[Round](), None, 0
    search.begin(sought)
    left = int(np.count_nonzero(sought.nodes))
    while left or not rounds:

        def on_progress(visited: int, found: int, number: int = len(rounds) + 1, total: int = left) -> None:
            parts = count(found, "component")
            observer.part(f"looking for fair cycles, round {number}, {parts}, states", visited, total)

        found = search.components(on_progress)
        rounds.append(found)
        if found.fair:
            labels = np.full(search.graph.size, -1) if labels is None else labels
            fair_here = found.left & ~found.neglected.any(axis=0)[found.here]
            labels[fair_here] = found.here[fair_here].astype(np.int64) + labelled
        labelled += len(found.ends)
        left = search.leave_out() if search.fair.strong.any() else 0
        if left:
            rounds[-1] = found.copied()
    return rounds, labels
