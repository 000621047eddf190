"""The key of a state under a @view: a row of numbers that are equal where the values of the view are.

A view may return different kinds of value on different paths (None or a number, a short list or a long one), so rows of
different paths cannot be compared directly. A row begins with the number of its shape: everything that is not a number
and is known when the view is traced. States in which the view fails have a shape of their own. So two states have the
same key only if their values are equal.

A collection of the state is represented by its cells, which needs no path split. Where a view may return an equal value
of another type on another path (a list, or a collection of another domain), all are represented by their elements
instead.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import CheckedError, Where
from ..language.domains import is_frozen_dataclass, parts_of_value
from ..language.identity import ORDERED, refused
from ..language.record import Record
from .collection import View, identity
from .expr import Expr
from .machine import SymbolicMachine
from .maps import DelayedMap
from .optional import settled
from .records import field_names
from .symbols import Member, Number
from .tree import AT_THE_ROOT, Branch, Fault, Tree, Value, folded, nodes, on_the_way


@dataclass(frozen=True)
class Row:
    """What a view returned on one path."""

    shape: Any
    numbers: tuple[Expr, ...]


class Rows:
    """The rows of one view."""

    def __init__(self, tracer: SymbolicMachine, name: str, where: Where | None, by_elements: bool = False) -> None:
        self.tracer, self.pool, self.name, self.where = tracer, tracer.pool, name, where
        self.by_elements, self.by_cells = by_elements, False
        self._members: list[Any] = []
        """Every string and enum member that occurred, with its number."""

    def row(self, value: Any) -> Row:
        """The row of the value that the view returns on this path."""
        numbers: list[Expr] = []
        shape = self._shape(value, numbers)
        return Row(shape, tuple(numbers))

    def _shape(self, value: Any, numbers: list[Expr]) -> Any:
        """The shape of a value, whose numbers are appended."""
        value = self.tracer.plainly(settled(value))
        if value is None:
            return "None"
        if isinstance(value, Member) and len({isinstance(m, int) for m in value._members}) > 1:
            value = value._concrete()
        if isinstance(value, (int, Number)):
            numbers.append(self._as_number(value))
            return "number"
        if isinstance(value, (Member, str, enum.Enum)):
            numbers.append(self._member(value))
            return "member"
        if isinstance(value, View) and not self.by_elements:
            self.by_cells = True
            numbers += [self.pool.number(value._place.get(i)) for i in range(value._domain.size)]
            return identity(value._domain)
        if isinstance(value, (DelayedMap, *ORDERED)):  # which an Array and a Seq are
            return "sequence", tuple(self._shape(item, numbers) for item in value)
        if isinstance(value, Record):
            fields = sorted(field_names(value))
            return type(value), tuple((n, self._shape(getattr(value, n), numbers)) for n in fields)
        if is_frozen_dataclass(type(value)):
            return type(value), tuple(self._shape(part, numbers) for part in parts_of_value(value))
        return self._of_constants(value, numbers)

    def _of_constants(self, value: Any, numbers: list[Expr]) -> Any:
        """The shape of a set or dict of Python; its hashed values are known on this path."""
        if isinstance(value, (set, frozenset)):
            return "set", frozenset(map(self._known, value))
        if isinstance(value, dict):
            items = sorted(((self._known(k), v) for k, v in dict(value).items()), key=lambda item: repr(item[0]))
            return "map", tuple((key, self._shape(item, numbers)) for key, item in items)
        raise refused(value, self.name, self.where)

    def _known(self, value: Any) -> Any:
        """A member of a set or a key, which Python has looked at."""
        if isinstance(value, tuple):
            return tuple(map(self._known, value))
        if isinstance(value, Record):
            return type(value), tuple((n, self._known(getattr(value, n))) for n in sorted(field_names(value)))
        if is_frozen_dataclass(type(value)):
            return type(value), tuple(map(self._known, parts_of_value(value)))
        value = settled(value)
        value = value._concrete() if isinstance(value, Member) else value
        if isinstance(value, (int, Number)):
            return int(value)
        return str.__str__(value) if isinstance(value, str) else value

    def _as_number(self, value: Any) -> Expr:
        """The term of a number, a boolean, or a member that is a number."""
        if not isinstance(value, Member):
            return self.tracer.number(value)
        return self.pool.select(value._term, [self.pool.const(int(m)) for m in value._members])

    def _member(self, value: Any) -> Expr:
        """The number of a text or an enum member."""
        if not isinstance(value, Member):
            return self.pool.const(self._number(value))
        numbers = [self._number(member) for member in value._members]
        if numbers == list(range(len(numbers))):
            return value._term
        return self.pool.select(value._term, [self.pool.const(n) for n in numbers])

    def _number(self, member: Any) -> int:
        if member not in self._members:
            self._members.append(member)
        return self._members.index(member)

    # -- all paths together --------------------------------------------------------------------------------

    def _found(self, tree: Tree) -> tuple[list[Row], list[Any]]:
        found = [node.value for node in nodes(tree) if isinstance(node, Value)]
        return found, list(dict.fromkeys(row.shape for row in found))

    def comparable(self, tree: Tree) -> bool:
        """Whether rows of different shapes are sure to come from values that differ."""
        return not self.by_cells or len(self._found(tree)[1]) < 2

    def joined(self, tree: Tree) -> tuple[list[Expr], list[tuple[Expr, CheckedError]]]:
        """The numbers that identify a state, and the conditions under which the view fails."""
        found, shapes = self._found(tree)
        width = max((len(row.numbers) for row in found), default=0)
        zero, errors = self.pool.const(0), list[tuple[Expr, CheckedError]]()

        def numbers(node: Tree, parts: Sequence[list[Expr]], path: Sequence[Expr]) -> list[Expr]:
            if isinstance(node, Branch):
                return [self.pool.ite(node.condition, a, b) for a, b in zip(*parts, strict=True)]
            if isinstance(node, Value):
                row: Row = node.value
                blank = [zero] * (width - len(row.numbers))
                return [self.pool.const(shapes.index(row.shape)), *row.numbers, *blank]
            assert isinstance(node, Fault), "a view neither chooses nor assigns"
            errors.append((self.pool.and_(path), node.error))
            return [self.pool.const(len(shapes)), *[zero] * width]

        joined = folded(tree, numbers, AT_THE_ROOT, on_the_way(self.pool))
        return [term for term in joined if term.op != "const"] or joined[:1], errors
