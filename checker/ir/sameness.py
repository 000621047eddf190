"""Whether two traced specs are the same one, however they went through their plain sets.

Both are read into one pool in which the order of operands is put aside, so most equal parts are the same object. Where
they are not, as in a loop that asks one condition after the other, both are walked together: a condition that the path
leaves open is taken both ways. That may fail to see that two parts are equal; parts that it calls equal are.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

from .expr import Expr, Pool, subterms
from .facts import Facts
from .portable import Portable, Row
from .substitution import Substitution

STEPS = 20_000
"""Pairs of nodes that are looked at for one part, at most."""
VALUATIONS = 5_000
"""States that are tried to see whether a path can be taken at all, where facts do not say so."""

Pair = tuple[Row, Row]
Path = tuple[tuple[Expr, bool], ...]


def differing(portables: Sequence[Portable]) -> list[str]:
    """The parts in which several specs are not the same."""
    pool, nodes = Pool(), dict[Row, Row]()
    once, *others = (_Read(pool, nodes, made) for made in portables)
    return list(dict.fromkeys(what for other in others for what in _differing(once, other)))


def _differing(a: _Read, b: _Read) -> list[str]:
    found = [what for what in {**a.made.facts, **b.made.facts} if a.made.facts.get(what) != b.made.facts.get(what)]
    if found:
        return found
    for what in {**a.made.trees, **b.made.trees}:
        one, two = a.made.trees.get(what), b.made.trees.get(what)
        if one is None or two is None or not _Together(a.pool, a.cells).same(a.nodes[one], b.nodes[two]):
            found.append(what)
    for what in {**a.made.conditions, **b.made.conditions}:
        left, right = a.condition(what), b.condition(what)
        if left != right and not _Together(a.pool, a.cells).all_same(left, right):
            found.append(what)
    return found


class _Read:
    """The terms and nodes of one process, in a pool and among nodes that it shares with others: what is written in the
    same way is one."""

    def __init__(self, pool: Pool, nodes: dict[Row, Row], made: Portable) -> None:
        self.pool, self.made = pool, made
        self.cells = [(lo, hi, boolean) for _, lo, hi, boolean in made.facts["the variables"]]
        self.terms: list[Expr] = []
        for row in made.terms:
            self.terms.append(self._term(row))
        self.nodes: list[Row] = []
        for row in made.nodes:
            node = self._node(row)
            self.nodes.append(nodes.setdefault(_written_as(node), node))

    def condition(self, what: str) -> tuple[list[Expr], list[tuple[Expr, Row]]]:
        """The terms of a property, and the conditions under which it is an error, with that."""
        numbers, errors, trigger = self.made.conditions.get(what, ((), (), None))
        terms = [self.terms[number] for number in (*numbers, *(() if trigger is None else (trigger,)))]
        faults: dict[Row, list[Expr]] = {}
        for number, fault in errors:
            faults.setdefault(fault, []).append(self.terms[number])
        return terms, [(ordered(self.pool, "or", parts), fault) for fault, parts in sorted(faults.items())]

    def _term(self, row: Row) -> Expr:
        op, value, _, _, boolean, numbers = row
        pool, parts = self.pool, [self.terms[number] for number in numbers]
        match op:
            case "const":
                return pool.truth(bool(value)) if boolean else pool.const(value)
            case "var" | "before":
                return pool.var(value, *self.cells[value], before=op == "before")
        return built(pool, op, parts)

    def _node(self, row: Row) -> Row:
        """A node of a tree with its terms and, in place of numbers, its nodes."""
        match row:
            case "if", condition, then, otherwise:
                term, sides = self.terms[condition], (self.nodes[then], self.nodes[otherwise])
                return ("if", term.args[0], sides[1], sides[0]) if term.op == "not" else ("if", term, *sides)
            case "choose", ways:
                return "choose", tuple(label for label, _ in ways), tuple(self.nodes[kid] for _, kid in ways)
            case "set", writes:
                return "set", {cell: self.terms[number] for cell, number in writes}
        return row


def _written_as(node: Row) -> Row:
    """What tells a node from others, whose terms and nodes are told by who they are."""
    match node:
        case "if", condition, then, otherwise:
            return "if", condition, id(then), id(otherwise)
        case "choose", labels, kids:
            return "choose", labels, tuple(map(id, kids))
        case "set", writes:
            return "set", tuple(sorted(writes.items(), key=operator.itemgetter(0)))
    return node


def built(pool: Pool, op: str, parts: list[Expr]) -> Expr:
    """A term of an operator, with operands that may change places in the order of the pool."""
    match op:
        case "and" | "or":
            return ordered(pool, op, parts)
        case "count":
            return pool.count(sorted(parts, key=_number))
        case "add":
            return _sum(pool, parts)
        case "not":
            return pool.not_(parts[0])
        case "select":
            return pool.select(parts[0], parts[1:])
        case "mul":
            parts = sorted(parts, key=_number)
    made: Expr = getattr(pool, op)(*parts)
    if made.op in ("and", "or"):
        return ordered(pool, made.op, made.args)
    return made


def ordered(pool: Pool, op: str, parts: Iterable[Expr]) -> Expr:
    """A conjunction or disjunction with its parts in the order of the pool."""
    join = pool.and_ if op == "and" else pool.or_
    made = join(parts)
    return join(sorted(made.args, key=_number)) if made.op == op else made


def _sum(pool: Pool, parts: Iterable[Expr]) -> Expr:
    summands, todo = list[Expr](), list(parts)
    while todo:
        term = todo.pop()
        if term.op == "add":
            todo += term.args
        else:
            summands.append(term)
    total, *rest = sorted(summands, key=_number)
    for term in rest:
        total = pool.add(total, term)
    return total


def _number(term: Expr) -> tuple[bool, int]:
    return term.op == "const", term.id


class _Together:
    """Two parts that are walked at the same time."""

    def __init__(self, pool: Pool, cells: Sequence[tuple[int, int, bool]]) -> None:
        self.pool, self.cells, self.steps = pool, cells, STEPS

    def all_same(self, a: Any, b: Any) -> bool:
        """Whether two properties hold, and are errors, in the same states."""
        (terms, errors), (others, faults) = a, b
        if len(terms) != len(others) or [f for _, f in errors] != [f for _, f in faults]:
            return False
        pairs = [*zip(terms, others, strict=True), *((x, y) for (x, _), (y, _) in zip(errors, faults, strict=True))]
        return all(self.same(("value", one), ("value", other)) for one, other in pairs)

    def same(self, a: Row, b: Row) -> bool:
        """Whether two nodes do the same in every state."""
        todo: list[tuple[Row, Row, Path]] = [(a, b, ())]
        while todo:
            self.steps -= 1
            one, other, path = todo.pop()
            if one is other:
                continue
            if self.steps < 0:
                return False
            following = self._further(one, other, path)
            if following is None:
                return False
            todo += following
        return True

    def _further(self, a: Row, b: Row, path: Path) -> list[tuple[Row, Row, Path]] | None:
        """What is left to be compared of two nodes; None where they differ."""
        facts = Facts()
        for term, value in path:
            facts.assume(term, value)
        a, b = _settled(a, facts), _settled(b, facts)
        for node in (a, b):
            if node[0] == "if":
                atom = _open(node[1], facts) or node[1]
                return [(a, b, (*path, (atom, value))) for value in (True, False)]
        kind = a[0]
        if kind != b[0]:
            return [] if self._impossible(path) else None
        if kind == "choose" and a[1] == b[1]:
            return [(one, other, path) for one, other in zip(a[2], b[2], strict=True)]
        if kind == "set":
            written = sorted({**a[1], **b[1]})
            pairs = [(self._written(a, cell), self._written(b, cell)) for cell in written]
            return [(("value", one), ("value", other), path) for one, other in pairs if one is not other]
        if kind == "value":
            return self._values(a[1], b[1], facts, path)
        return [] if a == b or self._impossible(path) else None

    def _values(self, a: Expr, b: Expr, facts: Facts, path: Path) -> list[tuple[Row, Row, Path]] | None:
        one, other = self._under(a, facts), self._under(b, facts)
        if one is other:
            return []
        for term in (one, other):
            atom = _open(term, facts)
            if atom is not None:
                return [(("value", one), ("value", other), (*path, (atom, value))) for value in (True, False)]
        return [] if self._impossible(path, one, other) else None

    def _written(self, node: Row, cell: int) -> Expr:
        found: Expr = node[1].get(cell) or self.pool.var(cell, *self.cells[cell])
        return found

    def _under(self, root: Expr, facts: Facts) -> Expr:
        """A term as it is where some facts hold."""
        known: dict[int, Expr] = {}
        todo = [root]
        while todo:
            term = todo[-1]
            value = facts.decided(term) if term.boolean else None
            lo, hi = (term.lo, term.hi) if term.boolean else facts.bounds(term)
            if value is not None or not term.args or lo == hi:
                fixed = self.pool.truth(value) if value is not None else self.pool.const(lo) if lo == hi else term
                known[todo.pop().id] = term if term.boolean and value is None else fixed
                continue
            missing = [part for part in term.args if part.id not in known]
            if missing:
                todo += missing
                continue
            known[todo.pop().id] = built(self.pool, term.op, [known[part.id] for part in term.args])
        return known[root.id]

    def _impossible(self, path: Path, *values: Expr) -> bool:
        """Whether no state takes a path, or none in which two values differ."""
        terms = [*(term for term, _ in path), *values]
        read = sorted({(op, t.value) for t in subterms(terms) for op in [t.op] if op in _CELLS})
        ranges = [range(self.cells[cell][0], self.cells[cell][1] + 1) for _, cell in read]
        if math.prod(map(len, ranges)) > min(VALUATIONS, self.steps):
            return False
        for given in itertools.product(*ranges):
            self.steps -= 1
            now, before = self._state(), self._state(before=True)
            for (op, cell), value in zip(read, given, strict=True):
                fixed = self.pool.truth(bool(value)) if self.cells[cell][2] else self.pool.const(value)
                (now if op == "var" else before)[cell] = fixed
            at = Substitution(self.pool, now, before)
            taken = all(at(term).value == value for term, value in path)
            if taken and (not values or at(values[0]) is not at(values[1])):
                return False
        return True

    def _state(self, before: bool = False) -> list[Expr]:
        return [self.pool.var(n, *cell, before) for n, cell in enumerate(self.cells)]


_CELLS = ("var", "before")


def _settled(node: Row, facts: Facts) -> Row:
    """The first node whose condition a path leaves open."""
    while node[0] == "if":
        value = facts.decided(node[1])
        if value is None:
            return node
        node = node[2] if value else node[3]
    return node


def _open(root: Expr, facts: Facts) -> Expr | None:
    """A condition in a term that a path leaves open, and that is not made of others."""
    for term in subterms([root]):
        if term.boolean and term.op not in ("and", "or", "not", "ite", "const", "select"):
            inner = any(part.boolean for arg in term.args for part in subterms([arg]) if part.op != "const")
            if not inner and facts.decided(term) is None:
                return term
    return None
