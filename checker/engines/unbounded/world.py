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
        """Those that were read, one after the other; some several times."""
        self._known: dict[Any, Majority] = {}

    def majority(self, sort: Sort, counter: Any, parameters: Sequence[Any], holds: Any) -> Majority:
        """More than half of a sort satisfy a condition: the same relation for the same condition."""
        places = [z3.Const(f"parameter {i}", term.sort()) for i, term in enumerate(parameters)]
        counted = z3.Const(f"counted of {sort.name}", sort.of)
        condition = z3.substitute(holds, (counter, counted), *zip(parameters, places, strict=True))
        found = self._known.get(condition)
        if found is None or found.sort is not sort:
            inputs, name = [term.sort() for term in parameters], f"majority {len(self._known)}"
            relation = z3.Function(name, *inputs, z3.BoolSort()) if inputs else z3.Bool(name)
            found = self._known[condition] = Majority(relation, tuple(places), sort, counted, condition)
        self.majorities.append(found)
        return found

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
