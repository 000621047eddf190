"""A spec with open constants, and what is known of it while it is read."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from ...backends.smt import z3
from ...language.source import source_of
from ...language.spec import Spec
from .values import Majority, Sort, Variables

UNREAD = object()
"""What `variables()` computes in a way that cannot be read."""


class World:
    """A spec with open constants: their sorts, the variables, and what `variables()` has computed."""

    def __init__(self, spec: Spec, opened: Sequence[str]) -> None:
        self.spec, self.sorts = spec, {name: Sort(name) for name in opened}
        self.variables, self.derived = Variables(), dict[str, Any]()
        self.majorities: list[Majority] = []

    @property
    def names(self) -> str:
        """The open constants, for messages."""
        return ", ".join(self.sorts)


def constants_of(term: Any) -> set[int]:
    """The ids of all parts of a formula."""
    found, todo = set[int](), [term]
    while todo:
        at = todo.pop()
        if at.get_id() not in found:
            found.add(at.get_id())
            todo += at.children() if not z3.is_quantifier(at) else [at.body()]
    return found


def body_of(function: FunctionType) -> list[ast.stmt]:
    """The statements of a function."""
    node = source_of(function).node
    if isinstance(node, ast.Lambda):
        return [ast.Return(node.body, lineno=node.lineno, col_offset=0)]
    return node.body
