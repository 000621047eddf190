"""Decision trees: what an action does, as guards, choices and assignments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import CheckedError, Where
from ..language.machine import Disabled as Stopped
from .expr import Expr


@dataclass(frozen=True, eq=False)
class Disabled:
    """The action has no successor here; `where` is the require(...) that was false, `by` as the language says it."""

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
    """A predicate or helper returned this."""

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


def nodes(tree: Tree) -> Iterator[Tree]:
    """All nodes, parents first."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, Branch):
            todo += (node.otherwise, node.then)
        elif isinstance(node, Choice):
            todo += reversed(node.options)


def most_successors(tree: Tree) -> int:
    """The largest number of successors (faults included) that the tree can give in one state."""
    most = list[int]()
    for node in reversed(list(nodes(tree))):
        match node:
            case Branch():
                most.append(max(most.pop(), most.pop()))
            case Choice():
                most.append(sum(most.pop() for _ in node.options))
            case _:
                most.append(0 if isinstance(node, Disabled) else 1)
    return most[0]


def terms(tree: Tree) -> Iterator[Expr]:
    """Every term of the tree: conditions and assigned values."""
    for node in nodes(tree):
        if isinstance(node, Branch):
            yield node.condition
        elif isinstance(node, Update):
            yield from (term for _, term in node.writes)
