"""What several leaves of a long tree need is computed before it branches, once.

A term that is written in a leaf is forgotten behind it. The leaves of a long tree need much the same, so most of its
code was written once for each of dozens of leaves, and LLVM took minutes for it. Here a term goes up to the first
branching below which half of the leaves need it. Terms are total, so it does no harm where one is computed in vain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...ir.expr import Expr
from ...ir.tree import Branch, Choice, Disabled, Tree

LONG = 20_000
"""Instructions of an instance from which on it is written anew in this way."""
SHARE = 0.5
"""Part of the leaves below a branching that must need a term."""

Path = tuple[int, ...]
"""The way from the root of a tree to a node: which child, on each level."""


def children(node: Tree) -> Sequence[Tree]:
    """The subtrees of a node."""
    match node:
        case Branch():
            return node.then, node.otherwise
        case Choice():
            return node.options
    return ()


def hoists(tree: Tree, needs: Mapping[Expr, Sequence[Path]]) -> dict[Path, list[Expr]]:
    """For the branchings of a tree the terms to compute before them, given the nodes at which each was written."""
    leaves = dict(_leaves(tree, ()))
    found: dict[Path, list[Expr]] = defaultdict(list)
    for term, paths in needs.items():
        for path in _places(leaves, set(paths), ()):
            found[path].append(term)
    return found


def _leaves(node: Tree, path: Path) -> Iterator[tuple[Path, int]]:
    """How many leaves there are below each node, but for those without a step."""
    number = 0 if isinstance(node, Disabled) or children(node) else 1
    for k, child in enumerate(children(node)):
        for at, below in _leaves(child, (*path, k)):
            number += below if len(at) == len(path) + 1 else 0
            yield at, below
    yield path, number


def _places(leaves: Mapping[Path, int], paths: set[Path], here: Path) -> Iterator[Path]:
    """The branchings at which a term that is needed at some nodes, all below one, is to be computed."""
    if len(paths) < 2 or here in paths:
        return
    sides: dict[Path, set[Path]] = defaultdict(set)
    for path in paths:
        sides[path[: len(here) + 1]].add(path)
    if len(sides) > 1 and sum(leaves[path] for path in paths) >= SHARE * leaves[here]:
        yield here
        return
    for side, some in sides.items():
        yield from _places(leaves, some, side)
