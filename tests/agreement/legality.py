"""The definition of a legal model: a table of rules for terms, and the rules of decision trees.

Every pass and every reader of the IR may rely on these rules. Tests check them on the shipped specs and on random ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from everystate.checker.ir.expr import Expr, Pool, cells_of
from everystate.checker.ir.facts import Facts
from everystate.checker.ir.traced import Model, TracedAction, TracedProperty
from everystate.checker.ir.tree import Branch, Choice, Disabled, Fault, Tree, Update, nodes, terms
from everystate.checker.language.domains import Cell

WORD = (-(1 << 63), (1 << 63) - 1)
"""The range of a computed number: no reader of the IR calculates with more than 64 bits."""
Interval = tuple[int, int]
Path = tuple[tuple[Expr, bool], ...]
"""Conditions with the boolean value that each has on the path to a node."""


@dataclass(frozen=True)
class Rule:
    """One operator: how many arguments (least, most), of which sorts, and the sort and interval of its result.

    Sorts: "int", "bool", or "same" for that of the last argument. The last argument sort holds for all further
    arguments. `canonical` is the additional guarantee of the pool.
    """

    count: tuple[int, int]
    arguments: tuple[str, ...]
    result: str
    interval: Callable[[Sequence[Expr]], Interval]
    canonical: Callable[[Expr], bool] = lambda term: True


def _truth(args: Sequence[Expr]) -> Interval:
    return 0, 1


def _corners(args: Sequence[Expr], join: Callable[[int, int], int], divisor: bool = False) -> Interval:
    a, b = args
    right = [b.lo, b.hi]
    if divisor:
        right = [d for d in (b.lo, b.hi, -1, 1) if b.lo <= d <= b.hi and d]
    found = [join(x, y) for x in (a.lo, a.hi) for y in right]
    return (min(found), max(found)) if found else (0, 0)


def _mod(args: Sequence[Expr]) -> Interval:
    a, b = args
    if b.op == "const" and b.value > 0 and a.lo // b.value == a.hi // b.value:
        return a.lo % b.value, a.hi % b.value
    return (0, min(a.hi, b.hi - 1)) if a.lo >= 0 and b.lo > 0 else (min(b.lo + 1, 0), max(b.hi - 1, 0))


def _hull(args: Iterable[Expr]) -> Interval:
    parts = list(args)
    return min(a.lo for a in parts), max(a.hi for a in parts)


def _apart(a: Expr, b: Expr) -> bool:
    return a.hi < b.lo or b.hi < a.lo


def _ordered(term: Expr) -> bool:
    """Constants on the right, else the older term on the left."""
    a, b = term.args
    return a.op != "const" and (b.op == "const" or a.id <= b.id)


def _add(term: Expr) -> bool:
    a, b = term.args
    nested = b.op == "const" and a.op == "add" and a.args[1].op == "const"
    return _ordered(term) and not nested and not (b.op == "const" and b.value == 0)


def _mul(term: Expr) -> bool:
    a, b = term.args
    return a.op != "const" and not (b.op == "const" and b.value in (0, 1))


def _sub(term: Expr) -> bool:
    return term.args[1].op != "const" and term.args[0] is not term.args[1]


def _div(term: Expr) -> bool:
    return not (term.args[1].op == "const" and term.args[1].value == 1)


def _count(term: Expr) -> bool:
    return all(a.op != "const" for a in term.args)


def _eq(term: Expr) -> bool:
    a, b = term.args
    open = a is not b and not _apart(a, b) and not (a.boolean and b.op == "const")
    return a.boolean == b.boolean and _ordered(term) and open


def _lt(term: Expr) -> bool:
    a, b = term.args
    return a is not b and not a.hi < b.lo and not a.lo >= b.hi


def _junction(term: Expr) -> bool:
    ids = {a.id for a in term.args}
    flat = all(a.op not in (term.op, "const") for a in term.args)
    return flat and len(ids) == len(term.args) and not any(a.op == "not" and a.args[0].id in ids for a in term.args)


def _ite(term: Expr) -> bool:
    condition, a, b = term.args
    constant = a.boolean and "const" in (a.op, b.op)
    return a.boolean == b.boolean and a is not b and condition.op not in ("const", "not") and not constant


def _select(term: Expr) -> bool:
    index, *options = term.args
    covered = index.lo <= 0 and index.hi >= len(options) - 1
    return covered and index.op != "const" and any(o is not options[0] for o in options)


RULES: dict[str, Rule] = {
    "const": Rule((0, 0), (), "same", lambda args: (0, 0)),
    "var": Rule((0, 0), (), "same", lambda args: (0, 0)),
    "before": Rule((0, 0), (), "same", lambda args: (0, 0)),
    "add": Rule((2, 2), ("int",), "int", lambda args: _corners(args, lambda x, y: x + y), _add),
    "sub": Rule((2, 2), ("int",), "int", lambda args: _corners(args, lambda x, y: x - y), _sub),
    "mul": Rule((2, 2), ("int",), "int", lambda args: _corners(args, lambda x, y: x * y), _mul),
    "div": Rule((2, 2), ("int",), "int", lambda args: _corners(args, lambda x, y: x // y, True), _div),
    "mod": Rule((2, 2), ("int",), "int", _mod),
    "eq": Rule((2, 2), ("same",), "bool", _truth, _eq),
    "lt": Rule((2, 2), ("int",), "bool", _truth, _lt),
    "not": Rule((1, 1), ("bool",), "bool", _truth, lambda t: t.args[0].op not in ("not", "const")),
    "and": Rule((2, 1 << 30), ("bool",), "bool", _truth, _junction),
    "or": Rule((2, 1 << 30), ("bool",), "bool", _truth, _junction),
    "ite": Rule((3, 3), ("bool", "same"), "same", lambda args: _hull(args[1:]), _ite),
    "select": Rule((4, 1 << 30), ("int", "same"), "same", lambda args: _hull(args[1:]), _select),
    "count": Rule((2, 1 << 30), ("bool",), "int", lambda args: (0, len(args)), _count),
}


def check_term(term: Expr, cells: Sequence[Cell], step: bool = False) -> None:
    """AssertionError when one term (not its arguments) is illegal; step: it may read the state before."""
    rule = RULES.get(term.op)
    assert rule is not None, f"{term} has the unknown operator {term.op!r}"
    least, most = rule.count
    assert least <= len(term.args) <= most, f"{term} has {len(term.args)} arguments"
    last = term.args[-1].boolean if term.args else term.boolean
    for i, argument in enumerate(term.args):
        sort = rule.arguments[min(i, len(rule.arguments) - 1)]
        expected = last if sort == "same" else sort == "bool"
        assert argument.boolean == expected, f"argument {i} of {term} has the wrong sort"
    assert term.boolean == (last if rule.result == "same" else rule.result == "bool"), f"{term} has the wrong sort"
    assert term.op != "before" or step, f"{term} reads the state before, where there is none"
    lo, hi = _leaf(term, cells) if not term.args else rule.interval(term.args)
    if term.boolean:
        lo, hi = max(lo, 0), min(hi, 1)
    assert term.lo <= lo <= hi <= term.hi, f"{term} may be in {lo}..{hi}, outside {term.lo}..{term.hi}"
    assert term.op == "const" or _in_a_word(term), f"{term} may leave a machine word: {term.lo}..{term.hi}"
    # The constant of a sum may lie beyond: the sum is exact modulo 2^64, and itself in a word.
    fit = term.op == "add" or all(map(_in_a_word, term.args))
    assert fit, f"{term} computes with a constant that does not fit a machine word"
    assert rule.canonical(term), f"{term} is not in canonical form"


def _in_a_word(term: Expr) -> bool:
    return WORD[0] <= term.lo and term.hi <= WORD[1]


def _leaf(term: Expr, cells: Sequence[Cell]) -> Interval:
    if term.op == "const":
        return term.value, term.value
    cell = cells[term.value]
    assert cell.boolean == term.boolean, f"{term} reads {cell.path} with the wrong sort"
    return cell.lo, cell.hi


def check_terms(roots: Iterable[Expr], cells: Sequence[Cell], step: bool = False) -> None:
    """AssertionError when a term, or one below it, is illegal; equal terms must be one object."""
    seen: dict[int, Expr] = {}
    shapes: dict[tuple[object, ...], Expr] = {}
    todo = list(roots)
    while todo:
        term = todo.pop()
        if term.id in seen:
            assert seen[term.id] is term, f"{term} and {seen[term.id]} have the same id"
            continue
        seen[term.id] = term
        shape = (term.op, term.value, term.boolean, *(a.id for a in term.args))
        assert shapes.setdefault(shape, term) is term, f"{term} exists twice"
        check_term(term, cells, step)
        todo.extend(term.args)


def check_tree(tree: Tree, cells: Sequence[Cell], pool: Pool) -> None:
    """AssertionError when the tree of an action is illegal."""
    check_terms(terms(tree), cells)
    todo: list[tuple[Tree, Facts, Path]] = [(tree, Facts(), ())]
    while todo:
        node, facts, path = todo.pop()
        if isinstance(node, Branch):
            condition = node.condition
            assert condition.boolean and condition.op != "const", f"the branch on {condition} is no question"
            assert facts.decided(condition) is None, f"the branch on {condition} is decided by those above it"
            for side, value in ((node.then, True), (node.otherwise, False)):
                todo.append((side, facts.given(condition, value), (*path, (condition, value))))
        elif isinstance(node, Choice):
            assert node.options and len(node.options) == len(node.labels), "a choice needs one label for each option"
            todo.extend((option, facts, path) for option in node.options)
        elif isinstance(node, Update):
            _check_update(node, cells, facts, pool, path)
        else:
            assert isinstance(node, (Disabled, Fault)), f"an action cannot end in {node}"


def _check_update(node: Update, cells: Sequence[Cell], facts: Facts, pool: Pool, path: Path) -> None:
    written = [cell for cell, _ in node.writes]
    assert written == sorted(set(written)), "the assigned cells are not distinct and in order"
    for at, term in node.writes:
        cell = cells[at]
        assert term.boolean == cell.boolean, f"{cell.path} gets {term} of the wrong sort"
        fits = term.boolean or _fits(term, cell.lo, cell.hi, facts, pool, path) or _impossible(path)
        assert fits, f"{cell.path} in {cell.lo}..{cell.hi} gets {term} in {facts.bounds(term)}"
        assert not (term.op == "var" and term.value == at), f"{cell.path} is assigned to itself"


def _fits(term: Expr, low: int, high: int, facts: Facts, pool: Pool, path: Path) -> bool:
    """Whether a term, or each of the terms that it chooses from, is known to lie in an interval."""
    lo, hi = facts.bounds(term)
    inside = pool.le(pool.const(low), term), pool.le(term, pool.const(high))
    if (low <= lo and hi <= high) or all(facts.decided(condition) for condition in inside):
        return True
    if term.op == "add" and term.args[1].op == "const":
        by = term.args[1].value
        return _fits(term.args[0], low - by, high - by, facts, pool, path)
    if term.op == "select":
        return all(_fits(part, low, high, facts, pool, path) for part in term.args[1:])
    return term.op == "ite" and all(
        _fits(part, low, high, _known([(term.args[0], value), *path]), pool, ((term.args[0], value), *path))
        for part, value in zip(term.args[1:], (True, False), strict=True)
        if facts.decided(term.args[0]) in (None, value)
    )


def _impossible(path: Path) -> bool:
    """Whether the conditions of a path contradict each other: no state takes it."""
    for i, (condition, value) in enumerate(path):
        others = Facts()
        for other, known in (*path[:i], *path[i + 1 :]):
            others = others.given(other, known)
        if others.decided(condition) is (not value):
            return True
    return False


def _known(conditions: Iterable[tuple[Expr, bool]]) -> Facts:
    """The facts of some conditions together: each is added given those before, and then all once more."""
    facts = Facts()
    for condition, value in (*conditions, *conditions):
        facts = facts.given(condition, value)
    return facts


def check_action(action: TracedAction, cells: Sequence[Cell], pool: Pool) -> None:
    """AssertionError when an action is illegal."""
    check_tree(action.tree, cells, pool)
    assert action.reads == cells_of(terms(action.tree)), f"{action.instance} does not know what it reads"
    writes = {cell for node in nodes(action.tree) if isinstance(node, Update) for cell, _ in node.writes}
    assert action.writes == writes, f"{action.instance} does not know what it writes"


def check_property(prop: TracedProperty, cells: Sequence[Cell]) -> None:
    """AssertionError when a property is illegal."""
    roots = [*prop.conditions, *(c for c, _ in prop.errors)]
    check_terms(roots, cells, step=prop.steps)
    assert all(root.boolean for root in roots), f"{prop.name} is no condition"
    assert prop.reads == cells_of(roots), f"{prop.name} does not know what it reads"


def check_model(model: Model) -> None:
    """AssertionError, with the reason, when a model is illegal."""
    for action in model.actions:
        check_action(action, model.cells, model.pool)
    for prop in model.properties:
        check_property(prop, model.cells)
    check_terms([a.term for a in model.antecedents], model.cells)
    check_terms(model.view, model.cells)
    assert all(a.term.boolean for a in model.antecedents), "the left side of an implication is no condition"
