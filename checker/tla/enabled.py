"""ENABLED: whether an action has a step, as a condition of the state.

The conjuncts of the action are taken in an order in which each prime is known where it is read: conditions first, then
what is assigned, then disjunctions. A primed variable has the value that is assigned to it. ENABLED <<A>>_v also asks
whether v changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .nodes import Node, or_unchanged, parts
from .python import AND, OR, Py, merged_reads
from .scopes import Env, Operator, Substitution, Variable
from .shapes import RecordOf, Truth
from .syntax import refused

if TYPE_CHECKING:
    from .expressions import Context, Expressions

Conjunct = tuple[Node, Env]


@dataclass(frozen=True)
class Value:
    """What is assigned to a variable, and whether that changes it."""

    py: Py
    changes: Py


Assigned = dict[int | str, Value]
"""The values of primed variables: by the name of a variable, or by the identity of the substitution in an instance."""
TRUE, FALSE = Py("True", Truth()), Py("False", Truth())
LITERAL = re.compile(r'"[^"]*"|\d+|True|False')


def enabled(ex: Expressions, node: Node, env: Env, cx: Context) -> Py:
    """ENABLED of an action, or of <<action>>_v."""
    subscript = None
    if node.kind == "angle":
        node, subscript = node.args
    return _Enabled(ex, None if subscript is None else (subscript, env)).of([(node, env)], {}, cx.inside())


def has_primes(node: Node, env: Env, seen: frozenset[int] = frozenset()) -> bool:
    """Whether an expression reads the next state."""
    if node.kind in ("prime", "unchanged", "box", "angle"):
        return True
    if node.kind in ("id", "op"):
        found = env.find(node.value)
        if isinstance(found, Substitution) and has_primes(found.node, found.env, seen):
            return True
        if isinstance(found, Operator) and found.definition.body is not None and id(found) not in seen:
            seen = seen | {id(found)}
            if has_primes(found.definition.body, found.env, seen):
                return True
    if node.kind == "let":
        env = env.let(node.value)
    return any(has_primes(part, env, seen) for part in parts(node))


def joined(items: list[Py], sign: str) -> Py:
    """Conditions joined by `and` or `or`."""
    neutral, zero, strength = ("True", FALSE, AND) if sign == "and" else ("False", TRUE, OR)
    items = [item for item in items if item.text != neutral]
    if any(item.text == zero.text for item in items):
        return zero
    if not items:
        return TRUE if sign == "and" else FALSE
    unique = list({item.text: item for item in items}.values())
    if len(unique) == 1:
        return unique[0]
    text = f" {sign} ".join(item.at(strength + 1) for item in unique)
    return Py(text, Truth(), strength, reads=merged_reads(*unique))


class _Enabled:
    def __init__(self, ex: Expressions, subscript: Conjunct | None) -> None:
        self.ex, self.subscript = ex, subscript
        self.places: dict[int, Conjunct] = {}
        self.facts: tuple[str, ...] = ()
        """The conditions that hold where the rest is asked."""

    def of(self, todo: list[Conjunct], assigned: Assigned, cx: Context) -> Py:
        """Whether the conjuncts can hold, beside what is assigned already."""
        todo = [item for each in todo for item in self._flattened(*each)]
        if not todo:
            return self._changed(assigned, cx)
        at = min(range(len(todo)), key=lambda k: self._order(*todo[k]))
        (node, env), rest = todo[at], todo[:at] + todo[at + 1 :]
        if not has_primes(node, env):
            return self._where(self.ex.condition(node, env, cx), rest, assigned, cx)
        if node.kind == "or":
            return joined([self.of([(item, env), *rest], assigned, cx) for item in node.args], "or")
        if node.kind == "exists":
            loops, inner, inside, reads = self.ex.loops(node.value, env, cx)
            return self._any(self.of([(node.args[0], inner), *rest], assigned, inside), loops, reads)
        if node.kind == "if":
            test, then, otherwise = node.args
            negation = Node("op", node.place, (test,), "~")
            sides = [[(test, env), (then, env), *rest], [(negation, env), (otherwise, env), *rest]]
            return joined([self.of(side, assigned, cx) for side in sides], "or")
        key = self._key(node.args[0], env) if node.kind == "op" and node.value in ("=", "\\in") else None
        if key is None or key in assigned:
            return self._where(self.ex.condition(node, env, self._known(assigned, cx)), rest, assigned, cx)
        if node.value == "=":
            return self.of(rest, {**assigned, key: self._value(key, node.args[1], env, self._known(assigned, cx))}, cx)
        over = self.ex.iterable(node.args[1], env, self._known(assigned, cx))
        name = self.ex.fresh("new", cx)
        old = self._old(key, cx)
        value = Py(name, old.shape, frozen=True)
        made = Value(value, self._differ(value, old))
        found = self.of(rest, {**assigned, key: made}, cx.inside(name))
        return self._any(found, f"for {name} in {over.at(OR)}", over.reads)

    def _where(self, condition: Py, rest: list[Conjunct], assigned: Assigned, cx: Context) -> Py:
        """A condition, and then the rest."""
        before, self.facts = self.facts, (*self.facts, condition.text)
        found = joined([condition, self.of(rest, assigned, cx)], "and")
        self.facts = before
        return found

    def _value(self, key: int | str, node: Node, env: Env, cx: Context) -> Value:
        """The value of an assignment. [f EXCEPT ![k] = v] changes f where f[k] is not v."""
        ex, old = self.ex, self._old(key, cx)
        new = ex.expression(node, env, cx, old.shape)
        new = ex.as_set(new) if new.lazy else new
        if node.kind == "except" and len(node.value) == 1 and ex.expression(node.args[0], env, cx).text == old.text:
            [(path, part)] = node.value
            at = old
            for step in path:
                is_field = isinstance(at.shape, RecordOf)
                at = ex.field_of(at, step.value, node) if is_field else ex.applied(at, step, env, cx, node)
            return Value(new, self._differ(ex.expression(part, env.bound({"@": at}), cx, at.shape), at))
        return Value(new, self._differ(new, old))

    def _differ(self, new: Py, old: Py) -> Py:
        """Whether a new value is another one than the old one."""
        if new.text == old.text:
            return FALSE
        if re.fullmatch(rf"{re.escape(old.text)} [+-] [1-9]\d*", new.text):
            return TRUE
        was = [fact.removeprefix(f"{old.text} == ") for fact in self.facts if fact.startswith(f"{old.text} == ")]
        if LITERAL.fullmatch(new.text) and any(LITERAL.fullmatch(text) and text != new.text for text in was):
            return TRUE
        return self.ex.negated(self.ex.equal(new, old))

    def _any(self, body: Py, loops: str, reads: frozenset[str]) -> Py:
        return Py(f"any({body.text} {loops})", Truth(), reads=reads | body.reads)

    def _flattened(self, node: Node, env: Env) -> list[Conjunct]:
        """The conjuncts of a formula, also those of definitions in it that read the next state."""
        if node.kind == "and":
            return [part for item in node.args for part in self._flattened(item, env)]
        if node.kind == "box":
            return [(or_unchanged(node), env)]
        if node.kind == "angle":
            same = Node("unchanged", node.place, (node.args[1],))
            return [*self._flattened(node.args[0], env), (Node("op", node.place, (same,), "~"), env)]
        if not has_primes(node, env):
            return [(node, env)]
        if node.kind == "unchanged":
            return self._kept(node.args[0], env)
        if node.kind == "let":
            return self._flattened(node.args[0], self.ex.let(node.value, env))
        if node.kind == "case":
            raise refused(node.place, "CASE in the action of ENABLED", "write it with IF")
        target, scope = node, env
        if node.kind == "path":
            scope, target = self.ex.evaluator.followed(node, env)
        if target.kind in ("id", "op"):
            found = scope.find(target.value)
            while isinstance(found, Substitution) and found.node.kind == "id":
                found = found.env.find(found.node.value)
            if isinstance(found, Substitution) and not target.args:
                return self._flattened(found.node, found.env)
            if isinstance(found, Operator) and not found.definition.bounds and found.definition.body is not None:
                return self._flattened(found.definition.body, found.scope(target.args, env))
        return [(node, env)]

    def _kept(self, node: Node, env: Env) -> list[Conjunct]:
        """UNCHANGED, as equations."""
        if node.kind == "tuple":
            return [part for item in node.args for part in self._kept(item, env)]
        found = env.find(node.value) if node.kind == "id" else None
        if isinstance(found, Operator) and found.definition.body is not None and not found.definition.params:
            return self._kept(found.definition.body, found.env)
        return [(Node("op", node.place, (Node("prime", node.place, (node,)), node), "="), env)]

    def _order(self, node: Node, env: Env) -> int:
        """What is taken first: conditions, assignments, choices, and what reads primes."""
        if not has_primes(node, env):
            return 0
        if node.kind == "op" and node.value in ("=", "\\in") and self._key(node.args[0], env) is not None:
            return 3 if has_primes(node.args[1], env) else 1
        return {"exists": 2, "or": 4, "if": 4}.get(node.kind, 5)

    def _key(self, node: Node, env: Env) -> int | str | None:
        """The variable that an expression is the prime of."""
        while node.kind == "id" and isinstance(found := env.find(node.value), Substitution):
            node, env = found.node, found.env
        return self._variable(node.args[0], env) if node.kind == "prime" else None

    def _variable(self, node: Node, env: Env) -> int | str | None:
        of_instance = False
        while node.kind == "id":
            place, found = (node, env), env.find(node.value)
            if isinstance(found, Variable):
                return found.name
            if isinstance(found, Substitution):
                node, env, of_instance = found.node, found.env, True
            elif isinstance(found, Operator) and not found.definition.params and found.definition.body is not None:
                node, env = found.definition.body, found.env
            else:
                return None
            if of_instance and node.kind != "id":
                self.places[id(found)] = place
                return id(found)
        return None

    def _old(self, key: int | str, cx: Context) -> Py:
        """The value of a variable in the current state."""
        if isinstance(key, str):
            return self.ex.variable(key, cx)
        node, scope = self.places[key]
        return self.ex.expression(node, scope, cx)

    def _known(self, assigned: Assigned, cx: Context) -> Context:
        """The context in which primed variables have what is assigned."""

        def prime(name: str, node: Node) -> Py:
            if name not in assigned:
                raise refused(node.place, f"{name}' in ENABLED before {name}' = ...", f"write {name}' = ...")
            return assigned[name].py

        substituted = {key: value.py for key, value in assigned.items() if isinstance(key, int)}
        return replace(cx, primes=prime, substituted=substituted)

    def _changed(self, assigned: Assigned, cx: Context) -> Py:
        """Whether v changes."""
        if self.subscript is None:
            return TRUE
        changes = []
        for node, env in self._items(*self.subscript):
            key = self._variable(node, env)
            if key is None:
                same = Node("op", node.place, (Node("prime", node.place, (node,)), node), "=")
                changes.append(self.ex.negated(self.ex.condition(same, env, self._known(assigned, cx))))
            else:
                changes.append(assigned[key].changes if key in assigned else TRUE)
        return joined(changes, "or")

    def _items(self, node: Node, env: Env) -> list[Conjunct]:
        """The parts of a tuple of variables, also of defined ones."""
        if node.kind == "tuple":
            return [part for item in node.args for part in self._items(item, env)]
        if node.kind == "path":
            scope, target = self.ex.evaluator.followed(node, env)
            return self._items(target, scope)
        found = env.find(node.value) if node.kind == "id" else None
        if isinstance(found, Operator) and not found.definition.params and found.definition.body is not None:
            return self._items(found.definition.body, found.env)
        return [(node, env)]


__all__ = ["enabled", "has_primes", "joined"]
