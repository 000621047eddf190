"""Decision trees: what an action does, as guards, choices and assignments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ..errors import CheckedError, Where
from ..language.machine import Disabled as Stopped
from .expr import Expr, Pool
from .facts import Facts


@dataclass(frozen=True, eq=False)
class Disabled:
    """The action has no successor here; `where` is the require(...) that was false, `by` its name in the language."""

    where: Where | None
    by: str = Stopped.GUARD


@dataclass(frozen=True, eq=False)
class Update:
    """One successor: these cells get these terms (over the state before), all others keep their value."""

    writes: tuple[tuple[int, Expr], ...]


@dataclass(frozen=True, eq=False)
class Fault:
    """The step is an error of the spec."""

    error: CheckedError


@dataclass(frozen=True, eq=False)
class Value:
    """The return value of a predicate or helper."""

    value: Any


@dataclass(frozen=True, eq=False)
class Branch:
    """One subtree where the condition holds, the other where it does not."""

    condition: Expr
    then: Tree
    otherwise: Tree


@dataclass(frozen=True, eq=False)
class Choice:
    """Non-determinism: every option is taken; `labels` are the chosen values."""

    labels: tuple[Any, ...]
    options: tuple[Tree, ...]


Leaf = Disabled | Update | Fault | Value
Tree = Leaf | Branch | Choice
Made = TypeVar("Made")
Known = TypeVar("Known")


def same(a: Tree, b: Tree) -> bool:
    """Whether two subtrees are interchangeable."""
    if a is b:
        return True
    if isinstance(a, Disabled) and isinstance(b, Disabled):
        return (a.where, a.by) == (b.where, b.by)
    if isinstance(a, Update) and isinstance(b, Update):
        return a.writes == b.writes
    if isinstance(a, Fault) and isinstance(b, Fault):
        return (a.error.code, a.error.where) == (b.error.code, b.error.where)
    return False


def children(node: Tree) -> Sequence[Tree]:
    """The subtrees of a node."""
    match node:
        case Branch():
            return node.then, node.otherwise
        case Choice():
            return node.options
    return ()


def nodes(tree: Tree) -> Iterator[Tree]:
    """All nodes, parents first."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        todo += reversed(children(node))


def folded(
    tree: Tree,
    made: Callable[[Tree, Sequence[Made], Known], Made],
    known: Known,
    below: Callable[[Tree, int, Known], Known] = lambda node, side, known: known,
) -> Made:
    """A bottom-up computation on a tree, from left to right, at any depth.

    `known` is passed to the root; each part gets the result of `below` for the node above and the part's number.
    """
    todo: list[tuple[Tree, Known, int]] = [(tree, known, 0)]
    found = list[Made]()
    while todo:
        node, here, side = todo.pop()
        parts = children(node)
        if side < len(parts):
            todo += ((node, here, side + 1), (parts[side], below(node, side, here), 0))
            continue
        first = len(found) - len(parts)
        found[first:] = [made(node, found[first:], here)]
    return found[0]


Nested = Iterator["Nested"]


def in_turn(first: Nested) -> None:
    """Run a generator; each one that it yields is run first, at any depth of nesting."""
    todo = [first]
    while todo:
        inner = next(todo[-1], None)
        if inner is None:
            todo.pop()
        else:
            todo.append(inner)


AT_THE_ROOT: Sequence[Expr] = ()
"""The conditions that lead to the root of a tree."""


def on_the_way(pool: Pool) -> Callable[[Tree, int, Sequence[Expr]], Sequence[Expr]]:
    """For `folded`: the conditions on the path to a part of a tree, given those to the node above."""

    def below(node: Tree, side: int, path: Sequence[Expr]) -> Sequence[Expr]:
        return path if not isinstance(node, Branch) else (*path, pool.not_(node.condition) if side else node.condition)

    return below


def assumed(node: Tree, side: int, facts: Facts) -> Facts:
    """For `folded`: the facts in a part of a tree."""
    if not isinstance(node, Branch):
        return facts
    return facts.given(node.condition, not side)


def opened(tree: Tree) -> tuple[list[tuple[Expr, bool]], Tree]:
    """The guards at the top of a tree, as conditions with their boolean values, and the tree behind them."""
    guards: list[tuple[Expr, bool]] = []
    while isinstance(tree, Branch) and isinstance(tree.then, Disabled) != isinstance(tree.otherwise, Disabled):
        truth = isinstance(tree.otherwise, Disabled)
        guards.append((tree.condition, truth))
        tree = tree.then if truth else tree.otherwise
    return guards, tree


def most_successors(tree: Tree) -> int:
    """The largest number of successors (faults included) that the tree can give in one state."""

    def most(node: Tree, parts: Sequence[int], _: None) -> int:
        match node:
            case Branch():
                return max(parts)
            case Choice():
                return sum(parts)
        return 0 if isinstance(node, Disabled) else 1

    return folded(tree, most, None)


def terms(tree: Tree) -> Iterator[Expr]:
    """Every term of the tree: conditions and assigned values."""
    for node in nodes(tree):
        if isinstance(node, Branch):
            yield node.condition
        elif isinstance(node, Update):
            yield from (term for _, term in node.writes)
