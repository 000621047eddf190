"""Symmetry reduction: explores one of all states that differ by a permutation of interchangeable values, where sound.

z3 proves soundness on the terms that are compiled, for all states of the domains, reachable or not. For each generating
permutation, a step between two states is a step between their images, action by action; each failure, property and left
side of an implication is equal for both. Initial states are compared one by one. What is not proved is refused (E139);
engines that do not request `reduced` explore every state.

States are identified by the least image of their cells under all permutations, as by a view. The states themselves are
stored as they were met, so every trace is a trace of the spec.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..errors import EverystateError, Where
from ..ir.expr import Expr, Pool, subterms
from ..ir.substitution import Substitution
from ..ir.traced import Model
from ..ir.tree import Branch, Choice, Fault, Tree, folded
from ..language import marks
from ..language.concrete import initial_states
from ..language.declarations import class_place, method_place
from ..language.domains import Domain
from ..language.spec import Spec
from ..language.state import State
from ..language.symmetry import (
    Interchangeable,
    Permutation,
    generators,
    moved_state,
    parts_of,
    permutations,
    sets_of,
)

MOST = 120
"""Permutations, at most: each is computed for every state that is met."""
EFFORT = 200_000_000
"""The limit of z3 for one query, in its own units, which do not depend on time."""
KEPT = 1 << 14
"""States whose orbits are cached; when there are more, the cache is cleared."""
BITS = 62
"""Of a word of a key: it is compared as a signed number."""


def reduced(model: Model) -> Model:
    """The model; where the spec has interchangeable values, one state of each orbit is explored. E139 if not sound."""
    sets = sets_of(model.spec)
    if not sets:
        return model
    from ..backends.smt import own_context

    with own_context():
        _Proof(model).run()
    return replace(model, view=tuple(_key(model)))


# -- permutations of terms --------------------------------------------------------------------------------


def moved_terms(pool: Pool, spec: Spec, cells: Sequence[Expr], by: Permutation) -> list[Expr]:
    """The cells of the image of a state under a permutation."""
    found, at = list[Expr](), 0
    for domain in spec.domains.values():
        found += _moved(pool, domain, cells[at : at + domain.size], by)
        at += domain.size
    return found


def _moved(pool: Pool, domain: Domain, cells: Sequence[Expr], by: Permutation) -> list[Expr]:
    if isinstance(domain, Interchangeable):
        return [pool.select(cells[0], [pool.const(value) for value in by[domain.name]])]
    found, pieces, keys = list(cells), list(domain.pieces()), getattr(domain, "of", None)
    starts = {piece.key: piece.at for piece in pieces} if keys is not None else {}
    for piece in pieces:
        size = piece.domain.size
        old = cells[piece.at : piece.at + size]
        new = _moved(pool, piece.domain, old, by)
        if piece.exists is not None:
            head, number = piece.exists
            exists = cells[head] if cells[head].boolean else pool.lt(pool.const(number), cells[head])
            new = [pool.ite(exists, term, blank) for term, blank in zip(new, old, strict=True)]
        at = piece.at if keys is None else starts[keys.member(keys.moved(piece.key, by))]
        found[at : at + size] = new
    return found


def _key(model: Model) -> list[Expr]:
    """The words that identify an orbit: the least image of the cells under all permutations."""
    pool, start = model.pool, _state(model)
    best, *others = (_packed(model, moved_terms(pool, model.spec, start, by)) for by in permutations(model.spec))
    for words in others:
        less = pool.false
        for mine, least in reversed(list(zip(words, best, strict=True))):
            less = pool.or_([pool.lt(mine, least), pool.and_([pool.eq(mine, least), less])])
        best = [pool.ite(less, mine, least) for mine, least in zip(words, best, strict=True)]
    return best


def _packed(model: Model, cells: Sequence[Expr]) -> list[Expr]:
    """Cells packed into few numbers, without loss."""
    pool, words, used = model.pool, [model.pool.const(0)], 0
    for cell, term in zip(model.cells, cells, strict=True):
        width = (cell.hi - cell.lo).bit_length()
        if used + width > BITS:
            words.append(pool.const(0))
            used = 0
        value = pool.sub(pool.number(term), pool.const(cell.lo))
        words[-1] = pool.add(words[-1], pool.mul(value, pool.const(1 << used)))
        used += width
    return words


def _state(model: Model, before: bool = False) -> list[Expr]:
    return [model.pool.var(i, c.lo, c.hi, c.boolean, before) for i, c in enumerate(model.cells)]


# -- the proof --------------------------------------------------------------------------------------------


class _Proof:
    """The proof that a spec treats a state and its images under permutations alike."""

    def __init__(self, model: Model) -> None:
        from ..backends.smt import BITS, States, z3
        from ..backends.smt.terms import Terms

        self.model, self.spec, self.pool = model, model.spec, model.pool
        self.name = type(self.spec).__name__
        self._check_limits()
        self.z3, self.states = z3, States([model], BITS)
        self.terms = Terms(BITS, self.states.cells(0, 1), self.states.cells(0, 0))
        self.solver = z3.Solver()
        self.solver.set("rlimit", EFFORT)
        valid = self.states.valid(0)
        pairs = list(zip(self.states.moment(0), self.states.moment(1), strict=True))
        self.solver.add(valid, z3.substitute(valid, *pairs))

    def _check_limits(self) -> None:
        for name, sizes in sets_of(self.spec).items():
            if len(sizes) > 1:
                raise self._refused(f"{name} has {sizes[0]} values in one place and {sizes[1]} in another", None)
        number = math.prod(math.factorial(sizes[0]) for sizes in sets_of(self.spec).values())
        if number > MOST:
            raise self._refused(f"there are {number:,} permutations, and {MOST} are the most that are explored", None)
        for prop in self.spec.properties:
            if prop.kind in (*marks.ON_GRAPHS, marks.VIEW):
                kind = "a view" if prop.kind == marks.VIEW else "a temporal property"
                raise self._refused(f"{prop.name} is {kind}, which needs every state", self._where(prop.name))
        for variable, domain in self.spec.domains.items():
            if any(part.ordered for part in parts_of(domain)):
                raise self._refused(f"what a permutation makes of {variable} is not known", None)

    def run(self) -> None:
        """E139 unless everything is proved."""
        self._initial()
        for by in generators(self.spec):
            self._by = by
            for said, where, one, other in self._questions(by):
                self._ask(said, where, one, other)

    def _initial(self) -> None:
        states = {state.cells: state for state in initial_states(self.spec)}
        for by in generators(self.spec):
            for state in states.values():
                if moved_state(state, by).cells not in states:
                    self._by = by
                    raise self._differs("one is an initial state and the other is none", None, state)

    def _questions(self, by: Permutation) -> Iterator[tuple[str, Where | None, Expr, Expr]]:
        """What must be equal: (what differs, where, a term, its counterpart for the permuted states)."""
        from ..frontend.refinement import Relation

        pool, now, after = self.pool, _state(self.model, before=True), _state(self.model)
        there, then = (moved_terms(pool, self.spec, cells, by) for cells in (now, after))
        elsewhere = Substitution(pool, then, there)
        plain, permuted = Relation(pool, now, after), Relation(pool, there, then)
        for name in dict.fromkeys(action.instance.name for action in self.model.actions):
            trees = [action.tree for action in self.model.actions if action.instance.name == name]
            fails = pool.or_(_fails(pool, tree) for tree in trees)
            said, where = f"{name} does not do the same in both", self._where(name)
            yield said, where, pool.or_(map(plain.leads, trees)), pool.or_(map(permuted.leads, trees))
            yield said, where, fails, elsewhere(fails)
        for prop in self.model.properties:
            broken = pool.or_(condition for condition, _ in prop.errors)
            said, where = f"{prop.name} does not say the same of both", self._where(prop.name)
            yield said, where, broken, elsewhere(broken)
            holds = pool.and_([prop.term, pool.not_(broken)])
            yield said, where, holds, elsewhere(holds)
        for held in self.model.antecedents:
            said = f"the left side of an implication in {held.property} is not the same for both"
            yield said, held.where, held.term, elsewhere(held.term)

    def _ask(self, said: str, where: Where | None, one: Expr, other: Expr) -> None:
        if one is other:
            return
        z3 = self.z3
        self.solver.push()
        self.solver.add(z3.Xor(self.terms(one), self.terms(other)))
        answer = self.solver.check()
        found = self.solver.model() if answer == z3.sat else None
        self.solver.pop()
        if found is not None:
            step = any(term.op == "before" for term in subterms([one, other]))
            raise self._differs(said, where, self._decoded(found, 0 if step else 1))
        if answer != z3.unsat:
            raise self._refused(f"z3 could not prove that what it is about is alike: {said}?", where)

    def _decoded(self, found: Any, at: int) -> State:
        return State(self.spec.domains, self.states.decode(found, 0, at))

    def _differs(self, said: str, where: Where | None, state: State) -> EverystateError:
        moves = ", ".join(
            f"{name} {' '.join(map(str, range(len(to))))} become {' '.join(map(str, to))}"
            for name, to in self._by.items()
            if to != tuple(range(len(to)))
        )
        values = ", ".join(f"{name} = {text}" for name, text in state.shown().items())
        return self._refused(f"{said}: the state {values}, and what becomes of it where {moves}", where)

    def _refused(self, problem: str, where: Where | None) -> EverystateError:
        names = " and ".join(sets_of(self.spec))
        return EverystateError(
            "E139", where or class_place(type(self.spec)), spec=self.name, sets=names, problem=problem
        )

    def _where(self, name: str) -> Where:
        return method_place(self.spec._declaration(name).method)


def _fails(pool: Pool, tree: Tree) -> Expr:
    """That an action fails in the state."""

    def fails(node: Tree, parts: Sequence[Expr], _: None) -> Expr:
        if isinstance(node, Branch):
            return pool.ite(node.condition, *parts)
        return pool.or_(parts) if isinstance(node, Choice) else pool.truth(isinstance(node, Fault))

    return folded(tree, fails, None)


# -- in plain Python --------------------------------------------------------------------------------------


class Orbits:
    """The keys of the orbits of states, in plain Python."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._known: dict[tuple[int, ...], tuple[int, ...]] = {}

    @cached_property
    def _permutations(self) -> list[Permutation]:
        return permutations(self._spec)

    def least(self, state: State) -> tuple[int, ...]:
        """The least image of the cells: variable by variable, with the permutations that are still least."""
        found = self._known.get(state.cells)
        if found is None:
            if len(self._known) == KEPT:
                self._known.clear()
            found = self._known[state.cells] = self._least(state)
        return found

    def _least(self, state: State) -> tuple[int, ...]:
        found, left = list[int](), self._permutations
        for name, value in state.values().items():
            parts = [self._moved(self._spec.domains[name], value, by) for by in left]
            least = min(parts)
            found += least
            left = [by for by, part in zip(left, parts, strict=True) if part == least]
        return tuple(found)

    def _moved(self, domain: Domain, value: Any, by: Permutation) -> list[int]:
        cells = list[int]()
        domain.encode(domain.make(domain.moved(value, by)), cells)
        return cells
