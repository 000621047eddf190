"""Hoists what several leaves of a tree need: each term is computed once, before the tree branches.

A term that is written in a leaf is not available after it. The leaves of a large tree need similar terms, so most code
was repeated for dozens of leaves, and LLVM took minutes for it. Here a term, or a word of a successor, moves up to the
first branching below which half of the leaves need it. Terms are total, so computing one in vain is harmless.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...ir.expr import Expr
from ...ir.tree import Branch, Disabled, Tree, Update, children, folded, nodes
from .successor import Word, Words
from .terms import Terms

MANY = 8
"""Updates of a tree from which on it is written with hoisting."""
SHARE = 0.5
"""The fraction of the leaves below a branching that must need a term."""

Path = tuple[int, ...]
"""The path from the root of a tree to a node: which child, on each level."""
Unit = Expr | Word
NOTHING: Mapping[Path, list[Unit]] = {}


def hoists(terms: Terms, words: Words, tree: Tree) -> Mapping[Path, list[Unit]]:
    """For the branchings of a tree what to compute before them, in order."""
    if sum(isinstance(node, Update) for node in nodes(tree)) < MANY:
        return NOTHING
    leaves, paths = leaves_below(tree), list[Path]()
    needs: dict[Unit, int] = defaultdict(int)
    for path, node in _with_paths(tree):
        for unit in _needed(words, node):
            needs[unit] |= 1 << len(paths)
        paths.append(path)
    changed = [unit for unit in needs if isinstance(unit, Word)]
    for word in changed:
        for term in word.reads(words.layout):
            needs[term] |= needs[word]
    evaluated = list(_wholes_first(terms, needs))
    for term in evaluated:
        for part in terms.parts(term):
            needs[part] |= needs[term]
    found: dict[Path, list[Unit]] = defaultdict(list)
    known: dict[int, list[Path]] = {}
    units: list[Unit] = [*reversed(evaluated), *changed]
    for unit in units:
        some = needs[unit]
        if some not in known:
            bits = bin(some)[:1:-1]
            known[some] = list(places(leaves, {path for path, bit in zip(paths, bits, strict=False) if bit == "1"}))
        for path in known[some]:
            found[path].append(unit)
    return found


def _needed(words: Words, node: Tree) -> Iterator[Unit]:
    """What is written at a node."""
    if isinstance(node, Branch):
        yield node.condition
    elif isinstance(node, Update):
        yield from words(node.writes).values()


def _with_paths(tree: Tree) -> Iterator[tuple[Path, Tree]]:
    todo: list[tuple[Path, Tree]] = [((), tree)]
    while todo:
        path, node = todo.pop()
        yield path, node
        todo += [((*path, k), child) for k, child in enumerate(children(node))]


def _wholes_first(terms: Terms, needs: Mapping[Unit, int]) -> list[Expr]:
    """The terms that are evaluated, wholes before parts: a part has the lower number."""
    found, todo = dict[int, Expr](), [unit for unit in needs if isinstance(unit, Expr)]
    while todo:
        term = todo.pop()
        if term.op != "const" and term.id not in found:
            found[term.id] = term
            todo += terms.parts(term)
    return sorted(found.values(), key=lambda term: term.id, reverse=True)


def leaves_below(tree: Tree) -> dict[Path, int]:
    """The number of leaves below each node, without those that have no step."""
    found: dict[Path, int] = {}

    def below(node: Tree, parts: Sequence[int], path: Path) -> int:
        found[path] = sum(parts) if children(node) else int(not isinstance(node, Disabled))
        return found[path]

    root: Path = ()
    folded(tree, below, root, lambda node, side, path: (*path, side))
    return found


def places(leaves: Mapping[Path, int], paths: set[Path]) -> Iterator[Path]:
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
