"""The compiled passes over a state graph, as functions on arrays: see graph_passes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

from .compile import cached, linked, made, named
from .interface import AHEAD, SEARCH
from .known import GRAPHS, Known

Array = Any
"""An array of numpy, without gaps."""
Steps = tuple[Array, Array, Array]
"""The number of the state to which each step leads, the position of its source behind a node, and its action."""
MOVES = 1 << 20
"""Moves after which a search for components reports how far it is."""


class GraphCode:
    """The passes; they release Python's global lock."""

    def __init__(self) -> None:
        known = Known(None, GRAPHS)
        code = named(known.names[0]) if known.names else None
        if code is None:
            from .graph_passes import text

            assembly = text()
            code = cached(assembly) or made(assembly)
            known.learn([assembly])
        self._engine = linked([code])
        pointer, number = ctypes.c_void_p, ctypes.c_uint64
        self._fill = self._function("fill", None, pointer, number, pointer, number, number)
        self._find = self._function("find", None, pointer, number, pointer, number, pointer, number, pointer)
        steps = pointer, pointer, pointer, number, number
        self._link = self._function("link", None, *steps, number, *[pointer] * 4)
        self._enable = self._function("enable", None, *steps, pointer, pointer)
        self._grouped = self._function("grouped", None, pointer, pointer, number, number, pointer, pointer)
        self._arrange = self._function("arrange", None, pointer, pointer, number, *[pointer] * 3)
        self._renumber = self._function("renumber", None, pointer, pointer, number, *[pointer] * 6)
        self._distances = self._function("distances", None, *[pointer] * 6, number, pointer, pointer)
        self._components = self._function("components", number, pointer)
        self._prepare, self._judge, self._leave_out = (
            self._function(name, None, pointer) for name in ("prepare", "judge", "leave_out")
        )

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        return ctypes.CFUNCTYPE(result, *arguments)(self._engine.get_function_address(name))

    def table(self, states: Array) -> Array:
        """A hash table of different states, a row each, for `find`."""
        found = np.zeros(1 << max(4, (2 * len(states)).bit_length()), np.uint32)
        self._fill(found.ctypes.data, len(found) - 1, states.ctypes.data, states.shape[1], len(states))
        return found

    def find(self, table: Array, states: Array, rows: Array) -> Array:
        """The number of the state in each row, NO_NODE where it is none of the table."""
        numbers = np.empty(len(rows), np.uint32)
        given = table.ctypes.data, len(table) - 1, states.ctypes.data, states.shape[1]
        self._find(*given, rows.ctypes.data, len(rows), numbers.ctypes.data)
        return numbers

    def link(self, steps: Steps, nodes: tuple[int, int], first: Array, edges: tuple[Array, Array]) -> None:
        """Write the targets and actions of the edges of nodes base..base+rows-1, for (base, rows) = `nodes`, from the
        steps that leave them. `first` has the first edge of the first node, and zeros behind it; there is room for as
        many edges as steps, and one more."""
        base, rows = nodes
        following = np.empty(rows, np.uint32)
        written = (first, following, *edges)
        given = *(one.ctypes.data for one in steps), len(steps[0]), base, rows
        self._link(*given, *(one.ctypes.data for one in written))

    def enable(self, steps: Steps, base: int, members: Array, enabled: Array) -> None:
        """Add the assumptions to which the actions of some steps belong to what is enabled in their sources."""
        given = *(one.ctypes.data for one in steps), len(steps[0]), base
        for masks, found in zip(members, enabled, strict=True):
            self._enable(*given, masks.ctypes.data, found.ctypes.data)

    def grouped(self, keys: Array, values: Array, count: int) -> tuple[Array, Array]:
        """(first, values): those of key k < count are values[first[k]:first[k + 1]], in their order."""
        first, found = np.zeros(count + 2, np.uint32), np.empty(len(keys), np.uint32)
        self._grouped(keys.ctypes.data, values.ctypes.data, len(keys), count, first.ctypes.data, found.ctypes.data)
        return first[:-1], found

    def arranged(self, edges: tuple[Array, Array, Array]) -> tuple[Array, tuple[Array, Array, Array]]:
        """(nodes in an order in which a walk along edges reads memory nearly in order, their first edges, targets and
        actions in this order)."""
        size, found = len(edges[0]) - 1, (np.empty_like(edges[0]), np.empty_like(edges[1]), np.empty_like(edges[2]))
        order, place, sizes = np.zeros(size + AHEAD, np.uint32), np.empty(size, np.uint32), np.empty(size, np.uint32)
        first, targets, _ = (one.ctypes.data for one in edges)
        self._arrange(first, targets, size, place.ctypes.data, sizes.ctypes.data, order.ctypes.data)
        given = (one.ctypes.data for one in (*edges, *found))
        self._renumber(order.ctypes.data, place.ctypes.data, size, *given)
        return order[:size], found

    def distances(
        self, edges: tuple[Array, Array], steps: Array | None, nodes: Array | None, starts: Array, delays: Array
    ) -> Array:
        """How many edges each node is away from the nearest of some starts, and the delay of that; -1 where none leads
        there. Delays ascend. Where steps or nodes are None all of them may be used."""
        size = len(edges[0]) - 1
        found, queue = np.full(size, -1, np.int32), np.empty(size, np.uint32)
        given = (0 if one is None else one.ctypes.data for one in (*edges, steps, nodes, starts, delays))
        self._distances(*given, len(starts), found.ctypes.data, queue.ctypes.data)
        return found

    def prepare(self, search: Array) -> None:
        """Prepare a search for components by the slots of SEARCH."""
        self._prepare(search.ctypes.data)
        self._restart(search)

    def components(self, search: Array) -> Iterator[tuple[int, int]]:
        """Find the components: yields (nodes, components) so far, the last time when they are complete."""
        complete = False
        while not complete:
            complete = bool(self._components(search.ctypes.data))
            yield int(search[SEARCH["visited"]]), int(search[SEARCH["found"]])

    def judge(self, search: Array) -> None:
        """Find what each component neglects."""
        self._judge(search.ctypes.data)

    def leave_out(self, search: Array) -> int:
        """Prepare another search, without the nodes that enable what is neglected and strongly fair; how many nodes are
        left."""
        self._leave_out(search.ctypes.data)
        self._restart(search)
        return int(search[SEARCH["last"]])

    def _restart(self, search: Array) -> None:
        zeros = dict.fromkeys(("depth", "visited", "found", "closed", "next"), 0)
        for name, value in (zeros | {"top": search[SEARCH["size"]], "moves": MOVES}).items():
            search[SEARCH[name]] = value
