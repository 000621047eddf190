"""Wrong code to be planted in a model: of every kind, and what a run must say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from everystate.checker import (
    Array,
    Bool,
    Int,
    Spec,
    action,
    choose,
    constraint,
    eventually,
    fair,
    implies,
    invariant,
    leads_to,
    reachable,
    require,
    step_invariant,
    view,
)
from everystate.checker.errors import CheckedError
from everystate.checker.ir.expr import Expr, Pool
from everystate.checker.ir.traced import Model, TracedProperty
from everystate.checker.ir.tree import Branch, Disabled, Fault, Tree, Update, nodes


class Everything(Spec):
    """Counts to 9 and back, or stops; all kinds of property."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 9)
        self.on = Bool()
        self.cells = Array(3, Int(0, 3))

    @fair
    @action
    def up(self) -> None:
        require(self.n < 9)
        self.n += 1

    @action
    def down(self) -> None:
        require(self.n == 9)
        self.n = 0
        self.on = choose([True, False])

    @action
    def divides(self) -> None:
        require(self.n == 5)
        self.cells[0] = 3 // (self.n - 4)

    @invariant
    def small(self) -> bool:
        return self.n < 10

    @invariant
    def quotient(self) -> bool:
        return 10 // (self.n - 20) < 1

    @step_invariant
    def near(self, before: Any) -> bool:
        return self.n == before.n + 1 or self.n == 0 or self.n == before.n

    @invariant
    def only_then(self) -> bool:
        return implies(self.n == 8, self.n > 2)

    @reachable
    def full(self) -> bool:
        return self.n == 9

    @constraint
    def within(self) -> bool:
        return self.cells[1] == 0


class Viewed(Everything):
    @view
    def seen(self) -> Any:
        return self.n, self.on, self.cells


class Idle(Everything):
    """With an action that is never enabled, and one with a parameter."""

    @action
    def never(self) -> None:
        require(self.n > 3)
        require(self.on)
        require(self.cells[2] == 1)
        self.n = 0

    @action(by=range(1, 3))
    def jump(self, by: int) -> None:
        require(self.n == 7)
        self.n += by


class Temporal(Everything):
    @eventually
    def high(self) -> bool:
        return self.n > 3

    @leads_to
    def follows(self) -> tuple[bool, bool]:
        return self.n == 4, self.n == 6


Planting = Callable[[Model], Model]


def of_property(name: str, change: Callable[[Pool, TracedProperty], TracedProperty]) -> Planting:
    """A planting in one property."""
    return lambda m: replace(m, properties=tuple(change(m.pool, p) if p.name == name else p for p in m.properties))


def in_state(m: Model, n: int) -> Expr:
    """That n has a value."""
    return m.pool.eq(m.pool.var(0, 0, 9, False), m.pool.const(n))


def wrong_where(name: str, n: int = 7) -> Planting:
    """The property has the other value where n has a value."""

    def change(m: Model) -> Model:
        here = in_state(m, n)
        return of_property(name, lambda pool, p: replace(p, term=pool.ite(here, pool.not_(p.term), p.term)))(m)

    return change


def of_action(name: str, change: Callable[[Model, Tree], Tree]) -> Planting:
    """A planting in one action."""
    return lambda m: replace(
        m, actions=tuple(replace(a, tree=change(m, a.tree)) if a.instance.name == name else a for a in m.actions)
    )


def another_value(m: Model, tree: Tree) -> Tree:
    """In state 7 the step leads elsewhere."""
    assert isinstance(tree, Branch) and isinstance(tree.then, Update)
    [(cell, term)] = tree.then.writes
    wrong = Update(((cell, m.pool.ite(in_state(m, 7), m.pool.const(2), term)),))
    return Branch(tree.condition, wrong, tree.otherwise)


def never_in(leaf: Tree) -> Callable[[Model, Tree], Tree]:
    return lambda m, tree: Branch(in_state(m, 7), leaf, tree)


ERROR = CheckedError("E306", None)


def fails_elsewhere(m: Model, tree: Tree) -> Tree:
    return Branch(in_state(m, 7), Fault(ERROR), tree)


def another_guard(m: Model, tree: Tree) -> Tree:
    """In state 7 the second guard stops what the first one lets pass and the third one should stop."""
    second = next(n for n in nodes(tree) if isinstance(n, Disabled) and n.where and "self.on" in n.where.source)
    return Branch(in_state(m, 7), second, tree)


def another_instance(m: Model) -> Model:
    """jump(by=2) does what jump(by=1) does."""
    trees = {str(a.instance): a.tree for a in m.actions}
    actions = (replace(a, tree=trees[str(a.instance).replace("by=2", "by=1")]) for a in m.actions)
    return replace(m, actions=tuple(actions))


def left_side(m: Model) -> Model:
    [left] = m.antecedents
    return replace(m, antecedents=(replace(left, term=m.pool.and_([left.term, m.pool.not_(in_state(m, 8))])),))


PLANTED: dict[str, tuple[type[Spec], Planting, str, str]] = {
    "an assignment": (Everything, of_action("up", another_value), "up", "n becomes 2 on symbols, 8 on values"),
    "a guard": (
        Everything,
        of_action("up", never_in(Disabled(None))),
        "up",
        "on symbols it has 0 successors, on values 1",
    ),
    "an error of an action": (
        Everything,
        of_action("divides", fails_elsewhere),
        "divides",
        "on symbols 1 of its steps fail, on values 0; divides() fails with E306: ",
    ),
    "an invariant": (Everything, wrong_where("small"), "small", "it is False on symbols and True on values"),
    "a step invariant": (Everything, wrong_where("near"), "near", "it is False on symbols and True on values"),
    "a goal": (Everything, wrong_where("full"), "full", "it is True on symbols and False on values"),
    "a constraint": (
        Everything,
        wrong_where("within"),
        "within",
        "the state is outside on symbols and not on values",
    ),
    "the left side of an implication": (
        Everything,
        left_side,
        "only_then",
        "the left side is False on symbols and True on values",
    ),
    "the guard that stops an action": (
        Idle,
        of_action("never", another_guard),
        "never",
        "this guard stops 1 attempt on symbols, 0 on values",
    ),
    "a parameter": (Idle, another_instance, "jump", "n becomes 8 on symbols, 9 on values"),
    "an error of an invariant": (
        Everything,
        lambda m: of_property("quotient", lambda _, p: replace(p, errors=((in_state(m, 7), ERROR),)))(m),
        "quotient",
        "it fails on symbols and not on values",
    ),
    "an eventuality": (Temporal, wrong_where("high"), "high", "it is False on symbols and True on values"),
    "what must follow": (Temporal, wrong_where("follows"), "follows", "it is True on symbols and False on values"),
    "what it must follow": (
        Temporal,
        of_property("follows", lambda pool, p: replace(p, trigger=pool.false)),
        "follows",
        "it is False on symbols and True on values",
    ),
    "a view": (
        Viewed,
        lambda m: replace(m, view=(m.pool.ite(in_state(m, 7), m.pool.const(2), m.view[0]), *m.view[1:])),
        "seen",
        "two states have the same view on symbols, and on values",
    ),
}
