"""A cache of executions: the outcome by the values that an execution has read from a state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Cells = tuple[int, ...]
T = TypeVar("T")
MOST = 1 << 18
"""Outcomes that are cached; when there are more, the cache is cleared."""


class Node(Generic[T]):
    """The cells that an execution reads next (first, and one after the last), and what follows for each value."""

    __slots__ = ("end", "following", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end
        self.following: dict[Cells, Node[T] | Leaf[T]] = {}


class Leaf(Generic[T]):
    """The outcome of an execution."""

    __slots__ = ("outcome",)

    def __init__(self, outcome: T) -> None:
        self.outcome = outcome


class Memory(Generic[T]):
    """Outcomes by what was executed and the values it read: these values determine what is read next."""

    def __init__(self) -> None:
        self._roots: dict[Hashable, Node[T] | Leaf[T]] = {}
        self._size = 0

    def known(self, what: Hashable, cells: Cells) -> T | None:
        """The outcome of an execution that would read the same values."""
        node = self._roots.get(what)
        while isinstance(node, Node):
            node = node.following.get(cells[node.start : node.end])
        return node.outcome if node else None

    def learn(self, what: Hashable, cells: Cells, read: Iterable[tuple[int, int]], outcome: T) -> T:
        """Keep the outcome of an execution that has read some places in this order."""
        if self._size == MOST:
            self._roots, self._size = {}, 0
        self._size += 1
        within: dict[Hashable, Node[T] | Leaf[T]] = self._roots
        key = what
        for start, end in read:
            node = within.get(key)
            if not isinstance(node, Node) or (node.start, node.end) != (start, end):
                node = within[key] = Node(start, end)
            within, key = node.following, cells[start:end]  # type: ignore[assignment]
        within[key] = Leaf(outcome)
        return outcome
