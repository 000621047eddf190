"""The product of a model with a monitor of one temporal property, as a model again.

The automaton of the negated property (see temporal.automaton) moves with each step, and while a behaviour pauses. What
must happen again and again is noted: each fairness assumption, and each `until` of the automaton. When all were noted,
a round is counted and noting begins anew. The property holds under fairness if no behaviour has infinitely many rounds.
That an assumption of strong fairness is never enabled any more is guessed by a step of its own, once.
K. Claessen, N. Soerensson: A liveness checking algorithm that counts, 2012. A. Biere, C. Artho, V. Schuppan: Liveness
checking as safety checking, 2002.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ...ir import layout
from ...ir.expr import Expr, Pool
from ...ir.traced import Model, TracedAction, TracedProperty
from ...ir.tree import Branch, Choice, Disabled, Tree, Update, folded
from ...language import formulas as ltl
from ...language import marks
from ...language.domains import AnyOf, Bool, Domain, Int
from ...language.fairness import Disjunction
from ...language.formulas import Form
from ..temporal.automaton import automaton_of, negated
from ..temporal.step_assumptions import FORMS

ROUNDS = 15
"""Rounds that are counted at most."""
NEVER: Form = (ltl.OR,)
"""The formula that no behaviour satisfies."""


def form_of(prop: TracedProperty) -> tuple[Form, Sequence[Expr]]:
    """The formula of a property of states, and the terms of its conditions."""
    if prop.kind == marks.TEMPORAL_FORMULA:
        return prop.form, prop.parts
    return FORMS[prop.kind], [prop.trigger, prop.term] if prop.trigger is not None else [prop.term]


def unsupported(model: Model, prop: TracedProperty) -> str:
    """Why a temporal property has no monitor; empty where it has one."""
    if prop.kind not in FORMS and prop.kind != marks.TEMPORAL_FORMULA:
        return "it is no property of single behaviours"
    if prop.steps:
        return "it is about steps"
    if prop.errors:
        return "it cannot be evaluated in every state"
    assumed, bounds = model.of_kind(marks.TEMPORAL_ASSUMPTION), model.of_kind(marks.ACTION_CONSTRAINT)
    if assumed:
        return f"{assumed[0].name} restricts the behaviours"
    return f"{bounds[0].name} restricts the steps" if bounds else ""


@dataclass(frozen=True)
class Product:
    """The product; `rounds` is the term that counts them. The cells of the monitor follow the `size` cells of the
    model: `static` ones have the same value at both ends of a cycle, `noted` ones are false there."""

    model: Model
    size: int
    rounds: Expr
    static: range
    noted: range


class Monitor:
    """Builds the product of a model and the negation of a formula over some conditions."""

    def __init__(self, model: Model, form: Form, conditions: Sequence[Expr]) -> None:
        self.model, self.pool, self.size = model, model.pool, len(model.cells)
        self.fair: list[Disjunction] = model.spec._fairness()
        self.conditions, self.automaton = conditions, automaton_of(negated(form))
        self.able = [self._able(one) for one in self.fair]
        self.strong = [number for number, one in enumerate(self.fair) if one.strength == marks.STRONG]
        self._domains: dict[str, Domain] = {}
        self._cells = list[tuple[int, Expr]]()
        last = max(0, len(self.automaton.locations) - 1)
        self.at = self._cell("location", Int(0, last, init=AnyOf(*self.automaton.initial)), last, False)
        self.over = {number: self._cell(f"never again {number}", Bool(), 1, True) for number in self.strong}
        wanted = len(self.fair) + self.automaton.accepting
        self.noted = [self._cell(f"noted {number}", Bool(), 1, True) for number in range(wanted)]
        self.rounds = self._cell("rounds", Int(0, ROUNDS), ROUNDS, False)

    def _cell(self, name: str, domain: Domain, most: int, boolean: bool) -> tuple[int, Expr]:
        number = self.size + len(self._domains)
        self._domains[f"monitor: {name}"] = domain
        return number, self.pool.var(number, 0, most, boolean)

    # -- the model -----------------------------------------------------------------------------------------

    def product(self) -> Product:
        """The product as a model without properties; none of its states is a deadlock."""
        spec: Any = copy.copy(self.model.spec)
        kept = (marks.ACTION, marks.INITIAL)
        spec._declared = {n: d for n, d in spec._declared.items() if d.mark.kind in kept}
        spec._variables = {**spec._variables, **self._domains}
        spec.properties, spec._refinements, spec._step_bounds, spec._ends = [], {}, (), True
        cells = tuple(spec._state_cells())
        actions = [self._monitored(number, action) for number, action in enumerate(self.model.actions)]
        pause = self._guarded(self._moved(self.pool.false, (), Update(())))
        actions += [self._alone(pause), *map(self._guess, self.strong)]
        spec.instances = [action.instance for action in actions]
        everything = frozenset(range(len(cells)))
        actions = [replace(a, reads=everything, writes=a.writes | everything - self._own) for a in actions]
        changed = {"spec": spec, "cells": cells, "layout": layout.plan(spec.domains), "actions": tuple(actions)}
        model = replace(self.model, properties=(), antecedents=(), view=(), **changed)
        static = range(self.size, self.size + 1 + len(self.over))
        return Product(model, self.size, self.rounds[1], static, range(static.stop, self.rounds[0]))

    @property
    def _own(self) -> frozenset[int]:
        return frozenset(range(self.size))

    def _alone(self, tree: Tree) -> TracedAction:
        """A step of the monitor; it has the name of some action, since the spec has no method for it."""
        return TracedAction(self.model.actions[0].instance, tree, frozenset(), frozenset())

    def _monitored(self, number: int, action: TracedAction) -> TracedAction:
        member = tuple(k for k, one in enumerate(self.fair) if number in one.instances)

        def made(node: Tree, parts: Sequence[Tree], known: None) -> Tree:
            match node:
                case Branch():
                    return Branch(node.condition, parts[0], parts[1])
                case Choice():
                    return Choice(node.labels, tuple(parts))
                case Update():
                    return self._moved(self._changes(node), member, node)
            return node

        return replace(action, tree=self._guarded(folded(action.tree, made, None)))

    # -- what a step does to the monitor -------------------------------------------------------------------

    def _guarded(self, tree: Tree) -> Tree:
        """A step that is taken where the automaton allows the state, and no guess is wrong."""
        pool, places = self.pool, list[Expr]()
        for number, location in enumerate(self.automaton.locations):
            literals = [
                self.conditions[k] if value else pool.not_(self.conditions[k]) for k, value in location.literals
            ]
            places.append(pool.and_([self._is_at(number), *literals]))
        wrong = [pool.and_([self.over[k][1], self.able[k]]) for k in self.strong]
        return Branch(pool.and_([*self.model.inside, pool.or_(places), *map(pool.not_, wrong)]), tree, Disabled(None))

    def _is_at(self, location: int) -> Expr:
        return self.pool.eq(self.at[1], self.pool.const(location))

    def _moved(self, changes: Expr, member: Sequence[int], update: Update) -> Tree:
        """One successor for each location that may follow. `changes`: where the step changes the state."""
        writes, options = (*update.writes, *self._counted(changes, member)), list[Tree]()
        for after in range(len(self.automaton.locations)):
            before = [self._is_at(q) for q, following in enumerate(self.automaton.successors) if after in following]
            moved = Update((*writes, (self.at[0], self.pool.const(after))))
            options.append(Branch(self.pool.or_(before), moved, Disabled(None)))
        return Choice(tuple(range(len(options))), tuple(options)) if len(options) > 1 else options[0]

    def _counted(self, changes: Expr, member: Sequence[int]) -> list[tuple[int, Expr]]:
        """What the cells of notes and rounds become."""
        pool, done = self.pool, list[Expr]()
        for number, (_, before) in enumerate(self.noted):
            done.append(pool.or_([before, self._happens(number, changes, member)]))
        complete, (place, rounds) = pool.and_(done), self.rounds
        more = pool.ite(pool.eq(rounds, pool.const(ROUNDS)), rounds, pool.add(rounds, pool.const(1)))
        count = pool.ite(complete, more, rounds)
        noted = [(cell, pool.and_([pool.not_(complete), now])) for (cell, _), now in zip(self.noted, done, strict=True)]
        return [*noted, (place, count)]

    def _happens(self, number: int, changes: Expr, member: Sequence[int]) -> Expr:
        """Where a step fulfils something that must happen again and again."""
        pool, until = self.pool, number - len(self.fair)
        if until >= 0:
            places = [q for q, location in enumerate(self.automaton.locations) if until in location.fulfilled]
            return pool.or_(map(self._is_at, places))
        calm = self.over[number][1] if number in self.over else pool.not_(self.able[number])
        return pool.or_([calm, *([changes] if number in member else [])])

    def _guess(self, number: int) -> TracedAction:
        """The step after which an assumption is never enabled any more."""
        cell, over = self.over[number]
        return self._alone(Branch(over, Disabled(None), Update(((cell, self.pool.true),))))

    # -- enabled -------------------------------------------------------------------------------------------

    def _changes(self, update: Update) -> Expr:
        pool, cells = self.pool, self.model.cells
        return pool.or_(
            pool.not_(pool.eq(pool.var(c, cells[c].lo, cells[c].hi, cells[c].boolean), term))
            for c, term in update.writes
        )

    def _able(self, one: Disjunction) -> Expr:
        """Where a step of some action instances changes the state."""
        fold = partial(self._able_in, self.pool)
        return self.pool.or_([folded(self.model.actions[number].tree, fold, None) for number in one.instances])

    def _able_in(self, pool: Pool, node: Tree, parts: Sequence[Expr], known: None) -> Expr:
        match node:
            case Branch():
                both = pool.and_([node.condition, parts[0]]), pool.and_([pool.not_(node.condition), parts[1]])
                return pool.or_(both)
            case Choice():
                return pool.or_(parts)
            case Update():
                return self._changes(node)
        return pool.false
