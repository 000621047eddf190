"""Writes what a condition says of all elements of one size with `all` and `sum`, so that it is about any number."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

EVERY = "every"
"""The name of an element that is any of its sort."""


def named(sort: str, number: int) -> str:
    """The name of an element of one size."""
    return f"{sort}__{number}"


def elements_in(node: ast.AST) -> list[tuple[str, int]]:
    """The elements that an expression names, in order."""
    names = [n.id.rpartition("__") for n in ast.walk(node) if isinstance(n, ast.Name) and "__" in n.id]
    return [(sort, int(number)) for sort, _, number in names]


def collected(parts: Sequence[ast.expr], sizes: Mapping[str, int]) -> list[ast.expr]:
    """Parts of a conjunction; those that say the same of each element of a sort are one, with `all`."""
    found = list(parts)
    for part in parts:
        if part in found:
            group = _group(part, found, sizes)
            if group is not None:
                together, sort, template = group
                every = ast.parse(f"all({ast.unparse(template)} for {EVERY} in range(self.{sort}))", mode="eval").body
                found = [*(other for other in found if other not in together), every]
    return found


def _group(
    part: ast.expr, parts: Sequence[ast.expr], sizes: Mapping[str, int]
) -> tuple[list[ast.expr], str, ast.expr] | None:
    """The parts that differ from one in one element only, if they are about all of its sort; the sort; a template."""
    texts = {ast.unparse(other): other for other in parts}
    for position, (sort, _) in enumerate(elements_in(part)):
        each = [ast.unparse(_with(part, position, named(sort, number))) for number in range(sizes[sort])]
        if len(each) > 1 and all(text in texts for text in each):
            return [texts[text] for text in each], sort, _with(part, position, EVERY)
    return None


def _with(node: ast.expr, position: int, name: str) -> ast.expr:
    """An expression with another name for the element at a position."""
    found = copy.deepcopy(node)
    places = [n for n in ast.walk(found) if isinstance(n, ast.Name) and "__" in n.id]
    places[position].id = name
    return found


class Sums(ast.NodeTransformer):
    """Replaces sums over all elements of a sort, and the numbers of elements that they are compared with."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A sum of a list."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "sum" and isinstance(node.args[0], ast.List):
            items = node.args[0].elts
            group = _group(items[0], items, self.sizes) if items else None
            if group is not None and len(group[0]) == len(items):
                text = f"sum({ast.unparse(group[2])} for {EVERY} in range(self.{group[1]}))"
                return ast.parse(text, mode="eval").body
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Twice such a sum, compared with the number of elements."""
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        sorts = [self._sort_of(side) for side in sides if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Mult)]
        for sort in filter(None, sorts):
            sides = [
                ast.parse(f"self.{sort}", mode="eval").body
                if isinstance(side, ast.Constant) and side.value == self.sizes[sort]
                else side
                for side in sides
            ]
        node.left, node.comparators = sides[0], sides[1:]
        return node

    def _sort_of(self, node: ast.expr) -> str:
        """The sort over which an expression has a sum; empty for none."""
        text = ast.unparse(node)
        return next((sort for sort in self.sizes if f"for {EVERY} in range(self.{sort})" in text), "")
