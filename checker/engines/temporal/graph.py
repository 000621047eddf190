"""The state graph of a finished search, as arrays: what temporal properties are judged on.

States are numbered as the search has stored them, level by level. With several workers the order within a level is not
always the same. So where one of several states must be chosen, it is the one with the least packed words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from ...backends.native.graph_code import GraphCode
from ...backends.native.interface import NO_NODE
from ..observer import unheard
from .assumptions import Assumptions

Steps = Callable[[Any], tuple[Any, Any, Any]]
"""From rows of states: (successors, positions of their predecessors, action instances)."""
BLOCK = 1 << 12


def memory(states: int, steps: int, words: int) -> int:
    """Bytes that judging takes at most, beside the store of the search; steps are numbered with 32 bits."""
    return states * (8 * words + 120) + steps * 24 if steps < 1 << 32 else 1 << 63


@cache
def code() -> GraphCode:
    """The machine code of all that is done with graphs."""
    return GraphCode()


class Numbers:
    """Finds the numbers of states."""

    def __init__(self, states: Any) -> None:
        self.states = states

    @cached_property
    def table(self) -> Any:
        """The hash table of the states."""
        return code().table(self.states)

    def of(self, rows: Any) -> Any:
        """The number of the state in each row, NO_NODE where it is none of ours."""
        return code().find(self.table, self.states, np.ascontiguousarray(rows))


@dataclass(frozen=True)
class Graph:
    """Nodes, and the steps between them that change something.

    `states` has the packed state of each node. In a product each state has several nodes: node number is that of the
    state plus a multiple of the number of states. `level` is the level of a node (1 for initial states). Steps
    first[v] to first[v+1]-1 leave node v: step i leads to `target[i]` by the action instance `action[i]`. `enabled` has
    masks of the fairness assumptions that can change something in each node, beyond a constraint too (see Assumptions).
    `steps` are all steps that were taken to build it, and those of them that lead to no node. `loops` says whether some
    step leads to the node that it leaves.
    """

    states: Any
    level: Any
    first: Any
    target: Any
    action: Any
    enabled: Any
    steps: tuple[int, int]
    loops: bool = False

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.level)

    @cached_property
    def source(self) -> Any:
        """The node that each step leaves."""
        return np.repeat(np.arange(self.size, dtype=np.uint32), np.diff(self.first).astype(np.int64))

    @cached_property
    def reversed(self) -> tuple[Any, Any]:
        """The steps by their targets: (first, sources); sources[first[v]] to sources[first[v+1]-1] lead to node v."""
        return code().grouped(self.target, self.source, self.size)

    def leaving(self, node: int) -> slice:
        """The steps that leave a node."""
        return slice(int(self.first[node]), int(self.first[node + 1]))

    def between(self, before: int, after: int) -> Any:
        """The steps from one node to another."""
        leaving = self.leaving(before)
        return leaving.start + np.flatnonzero(self.target[leaving] == after)

    def before(self, node: int, moment: Any, allowed: Any = None) -> int:
        """The least node that leads to a node by a step that is allowed, and was there one moment earlier."""
        first, sources = self.reversed
        found = sources[int(first[node]) : int(first[node + 1])]
        found = found[moment[found] == moment[node] - 1]
        if allowed is not None:
            found = np.array([other for other in found.tolist() if allowed[self.between(other, node)].any()], np.int64)
        return self.least(found)

    def arranged(self) -> Graph:
        """The same graph, with its nodes in an order in which a walk along steps reads memory nearly in order.

        A search for components then takes a third to two thirds of the time where a graph does not fit into the cache.
        """
        order, steps = code().arranged((self.first, self.target, self.action))
        nodes = order.astype(np.intp)
        states, level, enabled = self.states.take(nodes, 0), self.level.take(nodes), self.enabled.take(nodes, 1)
        return Graph(states, level, *steps, enabled, self.steps, self.loops)

    def part(self, nodes: Any, allowed: Any) -> tuple[Graph, Any]:
        """The graph of some nodes, in ascending order, and of the allowed steps between them; and the numbers of these.

        Node k is the one at position k.
        """
        copies, numbers = np.divmod(nodes, len(self.states))
        degrees = np.diff(self.first)[nodes].astype(np.int64)
        behind = np.cumsum(degrees) - degrees
        step = np.arange(degrees.sum()) + np.repeat(self.first[nodes] - behind, degrees)
        place = np.full(self.size, NO_NODE, np.uint32)
        place[nodes] = np.arange(len(nodes), dtype=np.uint32)
        inner = place[self.target[step]] != NO_NODE
        inner = inner if allowed is None else inner & allowed[step]
        step, source = step[inner], np.repeat(place[nodes], degrees)[inner]
        first = np.searchsorted(source, np.arange(len(nodes) + 1)).astype(np.uint32)
        states = np.column_stack([copies.astype(np.uint64), self.states[numbers]])
        steps = place[self.target[step]], self.action[step]
        return Graph(states, self.level[nodes], first, *steps, self.enabled[:, nodes], self.steps, self.loops), step

    def least(self, nodes: Any) -> int:
        """The node with the least packed state."""
        copies, numbers = np.divmod(np.asarray(nodes, np.int64), len(self.states))
        words = self.states[numbers]
        return int(nodes[np.lexsort([*words.T[::-1], copies])[0]])


def of_edges(states: Any, level: Any, edges: tuple[Any, Any, Any], enabled: Any, steps: tuple[int, int]) -> Graph:
    """A graph from the sources, targets and actions of its steps, in any order."""
    source, target, action = edges
    number = np.arange(len(source), dtype=np.uint32)
    first, order = code().grouped(source.astype(np.uint32), number, len(level))
    loops = bool((source == target).any())
    target, action = target.astype(np.uint32)[order], action.astype(np.uint16)[order]
    return Graph(states, level, first, target, action, enabled, steps, loops)


def build(
    levels: Iterable[Iterable[Any]],
    steps: Steps,
    fair: Assumptions,
    block: int = BLOCK,
    expected: int = 0,
    on_progress: Callable[[int, int], None] = unheard,
) -> tuple[Graph, Numbers]:
    """The graph over the states of some levels, each of blocks of rows, and what finds its states; `steps` gets so many
    of them at a time, and so many steps are expected.

    `on_progress` gets for how many states the steps are known, and how many there are.
    """
    parts = [list(blocks) for blocks in levels]
    states = np.concatenate([rows for blocks in parts for rows in blocks])
    level = np.repeat(np.arange(1, len(parts) + 1, dtype=np.int32), [sum(map(len, blocks)) for blocks in parts])
    del parts
    numbers, outside = Numbers(states), 0
    first, enabled = np.zeros(len(states) + 1, np.uint32), np.zeros((len(fair.members), len(states)), np.uint64)
    edges, taken = (np.empty(expected + 1, np.uint32), np.empty(expected + 1, np.uint16)), 0
    for start in range(0, len(states), block):
        on_progress(start, len(states))
        rows = states[start : start + block]
        successors, sources, actions = steps(rows)
        found = numbers.of(successors)
        taken, outside = taken + len(found), outside + int(np.count_nonzero(found == NO_NODE))
        if taken >= len(edges[0]):
            target, action = (np.concatenate([array, np.empty(2 * taken, array.dtype)]) for array in edges)
            edges = target, action
        code().link((found, sources, actions), (start, len(rows)), first, edges)
        code().enable((found, sources, actions), start, fair.members, enabled)
    target, action = (array[: first[-1]] for array in edges)
    return Graph(states, level, first, target, action, enabled, (taken, outside)), numbers
