"""Conditions for any number of elements, from the clauses of an invariant at one size.

The elements that a clause is about become different elements, whichever they are. A condition is only a guess here:
`induction` keeps those that are inductive.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..symbolic.clauses import ClauseWriter
from ..symbolic.predicates import Clause, Predicates
from .collecting import Sums, collected, elements_in, named
from .protocol import Protocol
from .values import Repeated, Shape, Sort

LETTERS = "abcdefgh"
MOST = 6
"""The elements that a condition may be about."""
Chosen = tuple[str, int]
"""An element of one size: its sort, and its number."""


@dataclass(frozen=True)
class Guess:
    """A condition that may hold for any number of elements: in Python, and for people.

    `special` is the text of a more general guess that implies it, if there is one.
    """

    node: ast.expr
    text: str
    special: str = ""

    @property
    def variables(self) -> frozenset[str]:
        """The variables that it reads."""
        return frozenset(node.attr for node in ast.walk(self.node) if isinstance(node, ast.Attribute))


def guesses(protocol: Protocol, predicates: Predicates, clauses: Sequence[Clause], ordered: bool) -> list[Guess]:
    """The conditions that some clauses suggest; also with an order of the elements, if the spec has one."""
    writer, found = ClauseWriter(predicates), dict[str, Guess]()
    for clause in sorted(clauses, key=len):
        for guess in _of(protocol, writer.source(clause), ordered):
            found.setdefault(guess.text, guess)
    return list(found.values())


def _of(protocol: Protocol, source: str, ordered: bool) -> Iterator[Guess]:
    """What never holds together, for all elements instead of some."""
    elements = _Elements(protocol)
    whole = Sums(elements.sizes).visit(elements.visit(ast.parse(source, mode="eval").body))
    parts = whole.values if isinstance(whole, ast.BoolOp) and isinstance(whole.op, ast.And) else [whole]
    parts = sorted(parts, key=_masked)
    yield from _variants(protocol, parts, ordered)
    fewer = collected(parts, elements.sizes)
    if len(fewer) < len(parts):
        yield from _variants(protocol, sorted(fewer, key=_masked), ordered)


def _variants(protocol: Protocol, parts: Sequence[ast.expr], ordered: bool) -> Iterator[Guess]:
    """A condition for all elements, for different ones, and for those in order."""
    used = list(dict.fromkeys(chosen for part in parts for chosen in elements_in(part)))
    if len(used) > MOST:
        return
    every = _guess(parts, used, {}, "")
    different = _guess(parts, used, {}, "!=", every.text)
    yield from dict.fromkeys([every, different])
    if _singles_out_the_first(protocol) and any(number == 0 for _, number in used):
        yield _guess(parts, used, {chosen: "0" for chosen in used if chosen[1] == 0}, "!=", different.text)
    if ordered and len(used) > 1:
        yield _guess(parts, sorted(used, key=lambda chosen: chosen[1]), {}, "<", different.text)


def _guess(
    parts: Sequence[ast.expr], used: Sequence[Chosen], fixed: dict[Chosen, str], sign: str, special: str = ""
) -> Guess:
    names = dict(zip((c for c in used if c not in fixed), LETTERS, strict=False)) | fixed
    texts = [_named(part, names) for part in parts]
    pairs = [(a, b) for a, b in itertools.combinations(used, 2) if a[0] == b[0] and sign]
    differ = [f"{names[a]} {sign} {names[b]}" for a, b in pairs]
    loops = [f"for {names[c]} in range(self.{c[0]})" for c in used if c not in fixed]
    condition = " and ".join([*differ, *texts])
    source = f"not any({condition} {' '.join(loops)})" if loops else f"not ({condition})"
    said = f" for all {', '.join(names[c] for c in used if c not in fixed)}" if loops else ""
    with_order = f" where {' and '.join(differ)}" if differ else ""
    text = f"never {' and '.join(texts)}{said}{with_order}".replace("self.", "")
    return Guess(ast.parse(source, mode="eval").body, text, special if special != text else "")


def _singles_out_the_first(protocol: Protocol) -> bool:
    """Whether the initial states of a spec distinguish an element."""
    shapes = protocol.world.variables.shapes.values()
    return any(isinstance(shape.initial, Repeated) or shape.end.kind == "element" for shape in shapes)


# -- elements in the source of a clause ------------------------------------------------------------------------


class _Elements(ast.NodeTransformer):
    """Replaces the numbers of elements by names that say which these are."""

    def __init__(self, protocol: Protocol) -> None:
        self.shapes = protocol.world.variables.shapes
        self.sizes = {name: protocol.spec.constants[name] for name in protocol.world.sorts}

    def _shape(self, node: ast.expr) -> Shape | None:
        if isinstance(node, ast.Attribute):
            return self.shapes.get(node.attr)
        inner = self._shape(node.value) if isinstance(node, ast.Subscript) else None
        return inner.part if inner is not None else None

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """The indices of an array or a map."""
        shape = self._shape(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if shape is not None and len(parts) == len(shape.indices):
            named = [self._element(part, index) for part, index in zip(parts, shape.indices, strict=True)]
            node.slice = ast.Tuple(named, ast.Load()) if isinstance(node.slice, ast.Tuple) else named[0]
        node.value = self.visit(node.value)
        return node

    def _element(self, node: ast.expr, index: object) -> ast.expr:
        if isinstance(index, Sort) and isinstance(node, ast.Constant) and type(node.value) is int:
            return ast.Name(named(index.name, node.value), ast.Load())
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """A condition on a value that may be None: in a formula, None equals no element."""
        self.generic_visit(node)
        if not (isinstance(node.orelse, ast.Constant) and type(node.orelse.value) is bool):
            return node
        if not node.orelse.value:
            equals = isinstance(node.body, ast.Compare) and isinstance(node.body.ops[0], (ast.Eq, ast.In))
            return node.body if equals else ast.BoolOp(ast.And(), [node.test, node.body])
        return ast.BoolOp(ast.Or(), [self.visit(ast.UnaryOp(ast.Not(), node.test)), node.body])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        """That something is not None, negated."""
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.IsNot):
            return ast.Compare(inner.left, [ast.Is()], inner.comparators)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """An element in a variable, and a member of a set."""
        shape, other = self._shape(node.left), self._shape(node.comparators[0])
        sort = shape.leaf.sort if shape is not None and shape.leaf is not None else None
        if sort is not None:
            node.comparators = [self._listed(node, part, sort) for part in node.comparators]
        if other is not None and other.is_set:
            node.left = self._element(node.left, other.indices[0])
        self.generic_visit(node)
        return node

    def _listed(self, node: ast.Compare, part: ast.expr, sort: Sort) -> ast.expr:
        """Some elements; those that are left out instead, if these are fewer."""
        if not isinstance(part, (ast.Tuple, ast.List, ast.Set)):
            return self._element(part, sort)
        items = list(part.elts)
        values = [item.value for item in items if isinstance(item, ast.Constant)]
        left = [i for i in range(self.sizes[sort.name]) if i not in values]
        if len(values) == len(items) and len(left) < len(items) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            node.ops = [ast.NotIn() if isinstance(node.ops[0], ast.In) else ast.In()]
            items = [ast.Constant(i) for i in left]
        return ast.Tuple([self._element(item, sort) for item in items], ast.Load())


def _masked(node: ast.expr) -> str:
    """An expression without the elements that it names."""
    return _named(node, dict.fromkeys(elements_in(node), "_"))


def _named(node: ast.expr, names: dict[Chosen, str]) -> str:
    """An expression with names for its elements."""
    text = f"({ast.unparse(node)})" if isinstance(node, (ast.BoolOp, ast.IfExp)) else ast.unparse(node)
    for (sort, number), name in names.items():
        text = text.replace(named(sort, number), name)
    return text
