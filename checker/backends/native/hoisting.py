"""Hoists terms that several leaves of a large tree need: each is computed once, before the tree branches.

A term that is written in a leaf is not available after it. The leaves of a large tree need similar terms, so most code
was repeated for dozens of leaves, and LLVM took minutes for it. Here a term moves up to the first branching below which
half of the leaves need it. Terms are total, so computing one in vain is harmless.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...ir.expr import Expr
from ...ir.tree import Disabled, Tree, children, folded

LONG = 20_000
"""Instructions of an instance from which on it is written again with hoisting."""
SHARE = 0.5
"""The fraction of the leaves below a branching that must need a term."""

Path = tuple[int, ...]
"""The path from the root of a tree to a node: which child, on each level."""


def hoists(tree: Tree, needs: Mapping[Expr, Sequence[Path]]) -> dict[Path, list[Expr]]:
    """For the branchings of a tree the terms to compute before them, given the nodes at which each was written."""
    leaves = _leaves(tree)
    found: dict[Path, list[Expr]] = defaultdict(list)
    for term, paths in needs.items():
        for path in _places(leaves, set(paths)):
            found[path].append(term)
    return found


def _leaves(tree: Tree) -> dict[Path, int]:
    """The number of leaves below each node, without those that have no step."""
    found: dict[Path, int] = {}

    def below(node: Tree, parts: Sequence[int], path: Path) -> int:
        found[path] = sum(parts) if children(node) else int(not isinstance(node, Disabled))
        return found[path]

    root: Path = ()
    folded(tree, below, root, lambda node, side, path: (*path, side))
    return found


def _places(leaves: Mapping[Path, int], paths: set[Path]) -> Iterator[Path]:
    """The branchings at which a term that is needed at some nodes is to be computed."""
    todo: list[tuple[Path, set[Path]]] = [((), paths)]
    while todo:
        here, some = todo.pop()
        if len(some) < 2 or here in some:
            continue
        sides: dict[Path, set[Path]] = defaultdict(set)
        for path in some:
            sides[path[: len(here) + 1]].add(path)
        if len(sides) > 1 and sum(leaves[path] for path in some) >= SHARE * leaves[here]:
            yield here
        else:
            todo += reversed(sides.items())
