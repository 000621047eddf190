"""The tree of what was walked: states by the steps that led to them, and their addresses.

An address is a text such as `0,3,3,5.1`: the number of the initial state, then of each step the number of its action
instance and, behind a point where it is not the first, which attempt of that instance it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..language.concrete import Step
from ..language.state import State
from ..results.text import count
from .moves import Key

ADDRESS = re.compile(r"\d{1,9}(,\d{1,9}(\.\d{1,9})?)*")


@dataclass(eq=False, repr=False)
class Node:
    """A state on a walk; `step` led to it from `parent`, both None where the walk begins."""

    state: State
    key: Key
    parent: Node | None = None
    step: Step | None = None
    depth: int = 0
    children: dict[Key, Node] = field(default_factory=dict)

    def __repr__(self) -> str:
        last = f", {self.step.label}" if self.step else ""
        return f"after {count(self.depth, 'step')}{last}:\n{self.state}"

    @property
    def trail(self) -> list[Node]:
        """The walk to here, from its beginning."""
        found, node = [self], self.parent
        while node is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    @property
    def address(self) -> str:
        """The walk to here as a text."""
        return ",".join(map(_word, self.trail))

    def add(self, key: Key, step: Step) -> Node:
        """The state behind a step; the one that is there already where it was taken before."""
        known = self.children.get(key)
        if known is None:
            known = self.children[key] = Node(step.state, key, self, step, self.depth + 1)
        return known


def _word(node: Node) -> str:
    number, attempt = node.key
    return f"{number}.{attempt}" if attempt else str(number)


def keys_of(address: str) -> list[Key] | None:
    """The keys of an address; None for a text that is none."""
    if not ADDRESS.fullmatch(address):
        return None
    pairs = (word.partition(".") for word in address.split(","))
    return [(int(number), int(attempt or 0)) for number, _, attempt in pairs]


@dataclass(frozen=True)
class Branch:
    """A part of the tree without forks: the states behind `start` up to `end`, and how many steps these are."""

    start: Node | None
    end: Node
    steps: int


def branches(roots: list[Node]) -> Iterator[Branch]:
    """The tree as its branches, each after the one from which it forks."""
    waiting: list[tuple[Node | None, Node]] = [(None, root) for root in reversed(roots)]
    while waiting:
        start, end = waiting.pop()
        steps = 0 if start is None else 1
        while len(end.children) == 1:
            end = next(iter(end.children.values()))
            steps += 1
        yield Branch(start, end, steps)
        waiting += [(end, child) for child in reversed(end.children.values())]
