"""Evaluates TLA+ as TLC does: constants, initial states, and the successors of a state.

The translation uses it for everything that does not depend on the state, and for a run of the first states, which
shows the values of a variable without a type. The tests use it as a second reading of the same module.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from .nodes import Bound, Definition, Node
from .scopes import MISSING, Builtin, Constant, Env, Instance, Local, Model, Operator, Substitution, Variable, part_of
from .standard import CONSTANTS, OPERATORS
from .syntax import refused
from .values import (
    LARGE,
    Either,
    Filtered,
    Function,
    Functions,
    LazySet,
    ModelValue,
    Records,
    Subsets,
    Tuples,
    Undefined,
    applied,
    as_set,
    function,
    is_finite,
    is_set,
    mapping,
    ordered,
    shown,
    size,
    united,
)

State = dict[str, Any]


class Symbol:
    """A name of the translation, whose value is not known."""


class Closure:
    """An operator as an argument, or of a LET: something to call."""

    def __init__(
        self, evaluator: Evaluator, params: tuple[str, ...], body: Node, env: Env, state: Any, primes: Any
    ) -> None:
        self.evaluator, self.params, self.body, self.env = evaluator, params, body, env
        self.state, self.primes = state, primes

    def __call__(self, *args: Any) -> Any:
        env = self.env.bound(dict(zip(self.params, args, strict=True)))
        return self.evaluator.evaluate(self.body, env, self.state, self.primes)


class Evaluator:
    """Evaluates the expressions of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.constant: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.depth = 0
        self.work = 0
        """How many expressions were evaluated."""
        self.problem = ""
        """Why a run of the first states ended early."""

    # -- values

    def evaluate(self, node: Node, env: Env, state: State | None = None, primes: State | None = None) -> Any:
        """The value of an expression; Undefined where TLC reports an error or the state is needed and not given."""
        self.work += 1
        method = getattr(self, f"_{node.kind}", None)
        if method is None:
            what = node.value[0] if node.kind == "unknown" else node.kind
            raise refused(node.place, what, "rewrite it")
        return method(node, env, state, primes)

    def truth(self, node: Node, env: Env, state: State | None, primes: State | None = None) -> bool:
        """The value of a condition."""
        value = self.evaluate(node, env, state, primes)
        if not isinstance(value, bool):
            raise Undefined(f"{shown(value)} is not a boolean")
        return value

    def _num(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        return node.value

    _str = _bool = _num

    def _id(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        return self.meaning(node, env.find(node.value), (), env, state, primes)

    def _op(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        found = env.find(node.value)
        if found is None and node.value in LAZY:
            return LAZY[node.value](self, node, env, state, primes)
        return self.meaning(node, found, node.args, env, state, primes)

    def _part(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        return self.evaluate(*part_of(node, env), state, primes)

    def _path(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        inner, target = self.followed(node, env)
        args = target.args if target.kind == "op" else ()
        found = inner.find(target.value)
        return self.meaning(target, found, args, env, state, primes)

    def followed(self, node: Node, env: Env) -> tuple[Env, Node]:
        """The scope in which the last part of I!J!Op is defined, and that part."""
        scope = env
        for part in node.args:
            found = scope.find(part.value)
            if not isinstance(found, Instance):
                raise refused(part.place, f"the part of a definition {part.value}!", "define that part by name")
            args = tuple(Substitution(arg, env) for arg in part.args)
            scope = self.model.instance(found, args, part.place)
        return scope, node.value

    def meaning(self, node: Node, found: Any, args: tuple[Node, ...], env: Env, state: Any, primes: Any) -> Any:
        """The value of a name, or of an operator with arguments."""
        if isinstance(found, Local):
            value = found.value
            if isinstance(value, Symbol):
                raise Undefined(f"{node.value} is not known")
            return value(*(self.argument(a, env, state, primes) for a in args)) if args else value
        if isinstance(found, Variable):
            if state is None or found.name not in state:
                raise Undefined(f"{found.name} has no value here")
            return state[found.name]
        if isinstance(found, Constant):
            if found.value is MISSING:
                raise Undefined(f"the constant {found.name} has no value")
            return found.value
        if isinstance(found, Substitution):
            if args:
                return self.meaning(node, self.referred(found), args, env, state, primes)
            return self.evaluate(found.node, found.env, state, primes)
        if isinstance(found, Operator):
            return self._called(found, args, env, state, primes)
        if found is None or isinstance(found, Builtin):
            return self._standard(node, args, env, state, primes)
        raise refused(node.place, f"`{node.value}`", "name a definition of it")

    def referred(self, found: Substitution) -> Any:
        """The operator that a substituted name stands for."""
        if found.node.kind == "id":
            return found.env.find(found.node.value) or Builtin(found.node.value)
        return Local(self.argument(found.node, found.env, None, None))

    def argument(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        """The value of an argument, which may be an operator."""
        if node.kind == "lambda":
            return Closure(self, node.value, node.args[0], env, state, primes)
        if node.kind == "id":
            found = env.find(node.value)
            while isinstance(found, Substitution) and found.node.kind == "id":
                node, env = found.node, found.env
                found = env.find(node.value)
            if isinstance(found, Operator) and found.definition.params:
                body = found.definition.body
                assert body is not None
                return Closure(self, found.definition.params, body, found.env, state, primes)
            if found is None and node.value in OPERATORS:
                return OPERATORS[node.value]
        return self.evaluate(node, env, state, primes)

    def _called(self, found: Operator, args: tuple[Node, ...], env: Env, state: Any, primes: Any) -> Any:
        made = found.definition
        if made.bounds:
            return self._recursive_function(found, state, primes)
        if made.body is None:
            raise refused(made.place, made.name, "define it")
        if not made.params:
            key = id(found)
            if key in self.constant:
                return self.constant[key]
            try:
                value = self.evaluate(made.body, found.env, None, None)
            except Undefined:
                return self.evaluate(made.body, found.env, state, primes)
            if isinstance(value, ModelValue) and value.name.startswith("CHOOSE@"):
                value = ModelValue(made.name, value.order)
            self.constant[key] = value
            self.kept.append(found)
            return value
        if len(made.params) != len(args):
            raise refused(made.place, f"{made.name} with {len(args)} arguments", f"give it {len(made.params)}")
        values = [self.argument(a, env, state, primes) for a in args]
        self.depth += 1
        if self.depth > 400:
            self.depth = 0
            raise Undefined(f"{made.name} does not end")
        result = self.evaluate(made.body, found.env.bound(dict(zip(made.params, values, strict=True))), state, primes)
        self.depth -= 1
        return result

    def _recursive_function(self, found: Operator, state: Any, primes: Any) -> Any:
        made = found.definition
        known: dict[Any, Any] = {}

        def value(argument: Any) -> Any:
            if argument not in known:
                env = found.env
                if len(made.bounds) == 1:
                    env = self._bound(made.bounds[0], argument, env)
                else:
                    for bound, part in zip(made.bounds, argument, strict=True):
                        env = self._bound(bound, part, env)
                assert made.body is not None
                known[argument] = self.evaluate(made.body, Env(env, {made.name: Local(value)}), state, primes)
            return known[argument]

        domains = [self.evaluate(b.within, found.env, state, primes) for b in made.bounds if b.within is not None]
        if all(map(is_finite, domains)) and not any(isinstance(d, Subsets) for d in domains):
            keys = itertools.product(*map(ordered, domains)) if len(domains) > 1 else ordered(domains[0])
            return function({key: value(key) for key in keys})
        return value

    def _standard(self, node: Node, args: tuple[Node, ...], env: Env, state: Any, primes: Any) -> Any:
        name = node.value
        if not args and name in CONSTANTS:
            return CONSTANTS[name]
        if name in LAZY:
            return LAZY[name](self, Node(node.kind, node.place, args, name), env, state, primes)
        if name in OPERATORS:
            return OPERATORS[name](*(self.argument(a, env, state, primes) for a in args))
        raise refused(node.place, f"the operator {name}", "define it in the module")

    # -- logic

    def _and(self, node: Node, env: Env, state: Any, primes: Any) -> bool:
        return all(self.truth(item, env, state, primes) for item in node.args)

    def _or(self, node: Node, env: Env, state: Any, primes: Any) -> bool:
        return any(self.truth(item, env, state, primes) for item in node.args)

    def _bound(self, bound: Bound, value: Any, env: Env) -> Env:
        if isinstance(bound.pattern, str):
            return env.bound({bound.pattern: value})
        if not isinstance(value, tuple) or len(value) != len(bound.pattern):
            raise Undefined(f"{shown(value)} is not a tuple of {len(bound.pattern)}")
        return env.bound(dict(zip(bound.pattern, value, strict=True)))

    def each(
        self, bounds: tuple[Bound, ...], env: Env, state: Any, primes: Any, outer: Env | None = None
    ) -> Iterator[Env]:
        """Every combination of the values of some bounds."""
        if not bounds:
            yield env
            return
        first, *rest = bounds
        if first.within is None:
            raise Undefined("a quantifier without a set")
        for value in ordered(self.evaluate(first.within, outer or env, state, primes)):
            yield from self.each(tuple(rest), self._bound(first, value, env), state, primes, outer or env)

    def _exists(self, node: Node, env: Env, state: Any, primes: Any) -> bool:
        return any(
            self.truth(node.args[0], inner, state, primes) for inner in self.each(node.value, env, state, primes)
        )

    def _forall(self, node: Node, env: Env, state: Any, primes: Any) -> bool:
        return all(
            self.truth(node.args[0], inner, state, primes) for inner in self.each(node.value, env, state, primes)
        )

    def _choose(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        [bound] = node.value
        if bound.within is None:
            return ModelValue(f"CHOOSE@{node.place.line}", 10**6)
        for value in ordered(self.evaluate(bound.within, env, state, primes)):
            if self.truth(node.args[0], self._bound(bound, value, env), state, primes):
                return value
        raise Undefined("CHOOSE finds no value")

    def _if(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        condition, then, otherwise = node.args
        return self.evaluate(then if self.truth(condition, env, state, primes) else otherwise, env, state, primes)

    def _case(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        for condition, value in node.args:
            if condition is None or self.truth(condition, env, state, primes):
                return self.evaluate(value, env, state, primes)
        raise Undefined("no case of a CASE holds")

    def _let(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        return self.evaluate(node.args[0], self.let_env(node.value, env, state, primes), state, primes)

    def let_env(self, definitions: tuple[Definition, ...], env: Env, state: Any, primes: Any) -> Env:
        """The scope of a LET; a definition without parameters is evaluated once, when it is needed."""
        return env.let(definitions)

    # -- sets and functions

    def _set(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        return frozenset(self.evaluate(item, env, state, primes) for item in node.args)

    def _filter(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        [bound] = node.value
        of = self.evaluate(bound.within, env, state, primes)
        if isinstance(of, LazySet) and size(of) >= LARGE:
            test = lambda v: self.truth(node.args[0], self._bound(bound, v, env), state, primes)  # noqa: E731
            return Filtered(of, test, (node, env))
        return frozenset(v for v in of if self.truth(node.args[0], self._bound(bound, v, env), state, primes))

    def _map(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        inner = self.each(node.value, env, state, primes)
        return frozenset(self.evaluate(node.args[0], one, state, primes) for one in inner)

    def _function(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        bounds: tuple[Bound, ...] = node.value
        if len(bounds) == 1 and bounds[0].within is not None:
            domain = self.evaluate(bounds[0].within, env, state, primes)
            if not is_finite(domain):
                return lambda v: self.evaluate(node.args[0], self._bound(bounds[0], v, env), state, primes)
        pairs = {}
        for inner in self.each(bounds, env, state, primes):
            keys = []
            for b in bounds:
                got = [inner.find(n).value for n in b.names]  # type: ignore[union-attr]
                keys.append(got[0] if isinstance(b.pattern, str) else tuple(got))
            pairs[keys[0] if len(keys) == 1 else tuple(keys)] = self.evaluate(node.args[0], inner, state, primes)
        return function(pairs)

    def _functions(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        return Functions(*(self.evaluate(part, env, state, primes) for part in node.args))

    def _record(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        values = (self.evaluate(part, env, state, primes) for part in node.args)
        return Function(dict(zip(node.value, values, strict=True)))

    def _records(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        values = (self.evaluate(part, env, state, primes) for part in node.args)
        return Records(dict(zip(node.value, values, strict=True)))

    def _tuple(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        return tuple(self.evaluate(item, env, state, primes) for item in node.args)

    def _product(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        return Tuples(tuple(self.evaluate(item, env, state, primes) for item in node.args))

    def _apply(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        target, argument = (self.evaluate(part, env, state, primes) for part in node.args)
        return applied(target, argument)

    def _field(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        return applied(self.evaluate(node.args[0], env, state, primes), node.value)

    def _except(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        value = self.evaluate(node.args[0], env, state, primes)
        for path, new in node.value:
            keys = [self.evaluate(step, env, state, primes) for step in path]
            value = self._updated(value, keys, new, env, state, primes)
        return value

    def _updated(self, value: Any, keys: list[Any], new: Node, env: Env, state: Any, primes: Any) -> Any:
        if not keys:
            return self.evaluate(new, env.bound({"@": value}), state, primes)
        pairs = dict(mapping(value))
        if keys[0] in pairs:
            pairs[keys[0]] = self._updated(pairs[keys[0]], keys[1:], new, env, state, primes)
        return function(pairs)

    def _at(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        found = env.find("@")
        return found.value  # type: ignore[union-attr]

    # -- actions

    def _prime(self, node: Node, env: Env, state: Any, primes: Any) -> Any:
        if primes is None:
            raise Undefined("a prime outside of an action")
        return self.evaluate(node.args[0], env, primes, None)

    def _unchanged(self, node: Node, env: Env, state: Any, primes: Any) -> bool:
        if primes is None:
            raise Undefined("UNCHANGED outside of an action")
        return bool(self.evaluate(node.args[0], env, state) == self.evaluate(node.args[0], env, primes))

    def _box(self, node: Node, env: Env, state: Any, primes: Any) -> bool:
        action, subscript = node.args
        same = self.evaluate(subscript, env, state) == self.evaluate(subscript, env, primes)
        return same or self.truth(action, env, state, primes)

    def _angle(self, node: Node, env: Env, state: Any, primes: Any) -> bool:
        action, subscript = node.args
        same = self.evaluate(subscript, env, state) == self.evaluate(subscript, env, primes)
        return not same and self.truth(action, env, state, primes)


def _in(ev: Evaluator, node: Node, env: Env, state: Any, primes: Any) -> bool:
    left, right = node.args
    if right.kind == "op" and right.value == "\\" and env.find("\\") is None:  # of Nat, which cannot be listed
        of, without = (Node("op", node.place, (left, part), "\\in") for part in right.args)
        return _in(ev, of, env, state, primes) and not _in(ev, without, env, state, primes)
    value, within = (ev.evaluate(a, env, state, primes) for a in node.args)
    if not is_set(within):
        raise Undefined(f"{shown(within)} is not a set")
    return value in within


def _implies(ev: Evaluator, node: Node, env: Env, state: Any, primes: Any) -> bool:
    return not ev.truth(node.args[0], env, state, primes) or ev.truth(node.args[1], env, state, primes)


def _cup(ev: Evaluator, node: Node, env: Env, state: Any, primes: Any) -> Any:
    return _joined(*(ev.evaluate(x, env, state, primes) for x in node.args))


def _joined(a: Any, b: Any) -> Any:
    """The union of two sets."""
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return a | b
    small = all(is_finite(x) and not isinstance(x, (Subsets, Functions, Records)) for x in (a, b))
    return as_set(a) | as_set(b) if small else Either((a, b))


def _union(ev: Evaluator, node: Node, env: Env, state: Any, primes: Any) -> Any:
    [of] = node.args
    if of.kind == "set" and of.args:  # its members may be infinite
        found, *others = (ev.evaluate(a, env, state, primes) for a in of.args)
        for other in others:
            found = _joined(found, other)
        return found
    if of.kind == "map":
        return united([ev.evaluate(of.args[0], one, state, primes) for one in ev.each(of.value, env, state, primes)])
    return frozenset(itertools.chain.from_iterable(ev.evaluate(of, env, state, primes)))


def _domain(ev: Evaluator, node: Node, env: Env, state: Any, primes: Any) -> Any:
    return frozenset(mapping(ev.evaluate(node.args[0], env, state, primes)))


LAZY: dict[str, Callable[..., Any]] = {
    "\\in": _in,
    "\\notin": lambda *a: not _in(*a),
    "=>": _implies,
    "\\cup": _cup,
    "DOMAIN": _domain,
    "UNION": _union,
    "SUBSET": lambda ev, n, *rest: Subsets(ev.evaluate(n.args[0], *rest)),
}
__all__ = ["Evaluator", "LazySet", "State"]
