"""Independence: which steps cannot influence each other, decided on decision trees and terms.

A `Part` is one path through an action instance (one leaf of its tree), or a whole instance where there are too many
paths. It reads the cells of all its conditions and values, and those of action properties of its steps; it writes the
cells that some leaf assigns. Two parts are independent if neither writes what the other reads or writes, unless one of
them leaves the constraints, where no steps follow. The analysis may report a dependency where there is none; it never
misses one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..language import marks
from .expr import Expr, Pool, cells_of, subterms
from .facts import Facts
from .substitution import Substitution
from .traced import Model
from .tree import Branch, Choice, Disabled, Tree, Update, assumed, folded, terms

MOST = 64
"""Parts, at most, where instances are divided: tables grow with the square of their number."""
EFFORT = 60_000
"""The maximum number of terms that are followed through a step; beyond it, a step that writes what a term reads may
change it."""


@dataclass(frozen=True)
class Leaf:
    """One path through a part: what is known on it, and what it assigns."""

    facts: Facts
    writes: tuple[tuple[int, Expr], ...]


@dataclass(frozen=True)
class Part:
    """Steps that are taken or left out together: it has one, or fails, exactly where all its guards hold."""

    action: int
    tree: Tree
    guards: tuple[Expr, ...]
    moves: Expr
    """Where it is enabled: whether one of its steps leads to another state, or fails."""
    leaves: tuple[Leaf, ...]
    reads: frozenset[int]
    writes: frozenset[int]


def parts_of(model: Model) -> list[Part]:
    """The parts of a model, in the order of its action instances and of the leaves of their trees."""
    apart = [list(_ways(action.tree)) for action in model.actions]
    if sum(map(len, apart)) <= MOST:
        return [_part(model, number, tree) for number, ways in enumerate(apart) for tree in ways]
    return [_part(model, number, action.tree) for number, action in enumerate(model.actions)]


def _ways(tree: Tree) -> Iterator[Tree]:
    """Trees with one leaf each that together do what a tree does."""
    stopped = Disabled(None)
    todo: list[tuple[Tree, tuple[tuple[Expr, int], ...]]] = [(tree, ())]
    while todo:
        node, path = todo.pop()
        if isinstance(node, Branch):
            todo += ((side, (*path, (node.condition, k))) for k, side in ((1, node.otherwise), (0, node.then)))
        elif isinstance(node, Choice):
            todo += ((option, path) for option in reversed(node.options))
        elif not isinstance(node, Disabled):
            way: Tree = node
            for condition, side in reversed(path):
                way = Branch(condition, stopped, way) if side else Branch(condition, way, stopped)
            yield way


def _part(model: Model, number: int, tree: Tree) -> Part:
    leaves = tuple(_leaves(tree))
    judged = cells_of(term for leaf in leaves for term in _on_steps(model, leaf))
    writes = frozenset(cell for leaf in leaves for cell, _ in leaf.writes)
    reads = cells_of(terms(tree)) | judged
    guards, moves = _whole(model.pool, _guards(model.pool, tree)), _moves(model.pool, state_of(model), tree)
    return Part(number, tree, guards, moves, leaves, reads, writes)


def _leaves(tree: Tree) -> list[Leaf]:
    found = list[Leaf]()

    def leaf(node: Tree, _: object, facts: Facts) -> None:
        if isinstance(node, Update):
            found.append(Leaf(facts, node.writes))

    folded(tree, leaf, Facts(), assumed)
    return found


def _on_steps(model: Model, leaf: Leaf) -> Iterator[Expr]:
    """The action properties for the steps of a leaf, as terms over the state before."""
    judged = [p for p in model.properties if p.steps]
    if judged:
        now = state_of(model)
        stepped = Substitution(model.pool, _after(now, leaf), now)
        for prop in judged:
            for term in (prop.term, *(broken for broken, _ in prop.errors)):
                yield _known(model.pool, stepped(term), leaf.facts)


def state_of(model: Model) -> list[Expr]:
    """The cells of a state as terms."""
    return [model.pool.var(i, c.lo, c.hi, c.boolean) for i, c in enumerate(model.cells)]


def _after(now: Sequence[Expr], leaf: Leaf) -> list[Expr]:
    found = list(now)
    for cell, term in leaf.writes:
        found[cell] = term
    return found


def _guards(pool: Pool, tree: Tree) -> list[Expr]:
    """Conditions that all hold exactly where a tree has a step or fails."""

    def guards(node: Tree, parts: Sequence[list[Expr]], _: None) -> list[Expr]:
        if isinstance(node, Disabled):
            return [pool.false]
        if isinstance(node, Choice):
            return _conjuncts(pool.or_(map(pool.and_, parts)))
        if not isinstance(node, Branch):
            return []
        then, otherwise = parts
        if pool.false in otherwise:
            return [*_conjuncts(node.condition), *then]
        if pool.false in then:
            return [*_conjuncts(pool.not_(node.condition)), *otherwise]
        return _conjuncts(pool.ite(node.condition, pool.and_(then), pool.and_(otherwise)))

    return folded(tree, guards, None)


def _whole(pool: Pool, guards: Sequence[Expr]) -> tuple[Expr, ...]:
    """Guards that are defined in every state: one that is undefined where others fail is combined with these."""
    together = pool.and_(guards)
    return tuple(dict.fromkeys(guard if _total(guard) else together for guard in guards))


def _conjuncts(term: Expr) -> list[Expr]:
    if term.op == "const" and term.value:
        return []
    return list(term.args) if term.op == "and" else [term]


def _moves(pool: Pool, now: Sequence[Expr], tree: Tree) -> Expr:
    def moves(node: Tree, parts: Sequence[Expr], facts: Facts) -> Expr:
        if isinstance(node, Branch):
            if isinstance(node.then, Disabled):
                return parts[1]
            return parts[0] if isinstance(node.otherwise, Disabled) else pool.ite(node.condition, *parts)
        if isinstance(node, Choice):
            return pool.or_(parts)
        if isinstance(node, Update):
            return pool.or_(_known(pool, pool.not_(pool.eq(now[cell], term)), facts) for cell, term in node.writes)
        return pool.true

    return folded(tree, moves, Facts(), assumed)


# -- relations between parts ------------------------------------------------------------------------------


class Relations:
    """How the parts of a model depend on each other and affect the conditions to be found."""

    def __init__(self, model: Model) -> None:
        self.model, self.parts = model, parts_of(model)
        self.guards = tuple(dict.fromkeys(guard for part in self.parts for guard in part.guards))
        self._now = state_of(model)
        inside = model.pool.and_(model.inside)
        self._reads = {term.id: cells_of([term]) for term in (*self.guards, *sought(model), inside)}
        leaves = sum(len(part.leaves) for part in self.parts)
        self._follows = leaves * len(self._reads) <= EFFORT
        self._stepped: dict[int, Substitution] = {}
        self._together = self._met()
        self._leaving = [self.makes(part, inside, False) for part in range(len(self.parts))]

    def interfere(self, one: int, other: int) -> bool:
        """Whether the effect of a part, or its being enabled, may depend on whether another one was taken before."""
        a, b = self.parts[one], self.parts[other]
        if self._leaving[one] or self._leaving[other]:
            return True
        return not (a.writes.isdisjoint(b.reads | b.writes) and b.writes.isdisjoint(a.reads))

    def together(self, one: int, other: int) -> bool:
        """Whether two parts may have steps in the same state."""
        return other in self._together[one]

    def _met(self) -> list[set[int]]:
        found = [set(range(len(self.parts))) for _ in self.parts]
        for one, part in enumerate(self.parts):
            facts = Facts()
            for guard in part.guards:
                facts = facts.given(guard, True)
            for other, met in enumerate(self.parts):
                if other != one and any(facts.decided(guard) is False for guard in met.guards):
                    found[one].discard(other)
                    found[other].discard(one)
        return found

    def makes(self, part: int, condition: Expr, value: bool) -> bool:
        """Whether a step of a part may give a condition a value that it did not have."""
        return any(self._may_make(leaf, condition, value) for leaf in self._touching(part, condition))

    def _may_make(self, leaf: Leaf, condition: Expr, value: bool) -> bool:
        if not self._follows or not _total(condition):
            return True
        if leaf.facts.decided(condition) is value:
            return False
        facts = leaf.facts.given(condition, not value)
        followed = _known(self.model.pool, self._followed(leaf, condition), facts)
        return facts.decided(followed) is not (not value) and followed is not _known(self.model.pool, condition, facts)

    def _touching(self, part: int, term: Expr) -> Iterator[Leaf]:
        """The leaves of a part that write what a term reads."""
        for leaf in self.parts[part].leaves:
            if any(cell in self._reads[term.id] for cell, _ in leaf.writes):
                yield leaf

    def _followed(self, leaf: Leaf, term: Expr) -> Expr:
        """A term after a step of a leaf, over the state before."""
        stepped = self._stepped.get(id(leaf))
        if stepped is None:
            stepped = self._stepped[id(leaf)] = Substitution(self.model.pool, _after(self._now, leaf))
        return stepped(term)


def _known(pool: Pool, root: Expr, facts: Facts) -> Expr:
    """A term without what some facts decide."""
    known: dict[int, Expr] = {}
    todo, begun = [root], set[int]()
    while todo:
        term = todo.pop()
        if term.id in known:
            continue
        if term.id in begun:
            known[term.id] = _built(pool, term, [known[part.id] for part in term.args])
            continue
        begun.add(term.id)
        value = facts.decided(term) if term.boolean else None
        if value is None and term.op in ("and", "or") and _refuted(term.args, term.op == "and", facts):
            value = term.op == "or"
        if value is not None:
            known[term.id] = pool.truth(value)
        elif term.op in ("and", "or", "not", "ite"):
            todo += (term, *reversed(term.args))
        else:
            known[term.id] = term
    return known[root.id]


def _built(pool: Pool, term: Expr, parts: list[Expr]) -> Expr:
    match term.op:
        case "and":
            return pool.and_(parts)
        case "or":
            return pool.or_(parts)
        case "not":
            return pool.not_(*parts)
    return pool.ite(*parts)


def _refuted(parts: Sequence[Expr], value: bool, facts: Facts) -> bool:
    """Whether conditions cannot all have a value where some facts hold."""
    known = facts
    for part in parts:
        if known.decided(part) is (not value):
            return True
        known = known.given(part, value)
    return False


def _total(term: Expr) -> bool:
    """Whether a term is defined in every state. A partial guard matters only where those before it hold; elsewhere its
    value is arbitrary, and reasoning on terms must not use it."""
    for part in subterms([term]):
        if part.op == "select" and not 0 <= part.args[0].lo <= part.args[0].hi < len(part.args) - 1:
            return False
        if part.op in ("div", "mod") and part.args[1].lo <= 0 <= part.args[1].hi:
            return False
    return True


def sought(model: Model) -> list[Expr]:
    """The conditions that a search looks for in states: its verdict and its warnings depend on them."""
    pool, found = model.pool, [held.term for held in model.antecedents]
    for prop in model.properties:
        if prop.steps:
            continue
        errors = [broken for broken, _ in prop.errors]
        evaluated = pool.not_(pool.or_(errors))
        found += errors
        if prop.kind == marks.INVARIANT:
            found.append(pool.and_([pool.not_(prop.term), evaluated]))
        elif prop.kind == marks.REACHABLE:
            found.append(pool.and_([prop.term, evaluated]))
    return [term for term in dict.fromkeys(found) if term.op != "const"]
