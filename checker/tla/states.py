"""The initial states and the successors of a state, found as TLC finds them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .evaluator import LAZY, Evaluator, State
from .nodes import Node, or_unchanged
from .scopes import Env, Local, Operator, Substitution, assigned_variable
from .values import Undefined, in_order


def initial_states(ev: Evaluator, init: Node, env: Env) -> Iterator[State]:
    """The initial states, each as often as TLC generates it."""
    yield from _Search(ev, None).each(init, env, {})


def successors(ev: Evaluator, action: Node, env: Env, state: State) -> Iterator[State]:
    """The successors of a state, each as often as TLC generates it."""
    yield from _Search(ev, state).each(action, env, {})


class _Search:
    """Goes through the conjuncts of a formula in their order; `made` has the values that are known so far."""

    def __init__(self, ev: Evaluator, state: State | None) -> None:
        self.ev, self.state = ev, state

    def each(self, node: Node, env: Env, made: State) -> Iterator[State]:
        if self.state is None and len(made) == len(self.ev.model.variables):  # TLC asks only whether the rest is true
            if self._true(node, env, made):
                yield made
        elif node.kind == "and":
            yield from self._all(node.args, env, made)
        elif node.kind == "or":
            for item in node.args:
                yield from self.each(item, env, made)
        elif node.kind == "exists":
            for inner in self.ev.each(node.value, env, *self._known(made)):
                yield from self.each(node.args[0], inner, made)
        elif node.kind == "forall":
            inners = tuple(self.ev.each(node.value, env, *self._known(made)))
            yield from self._every(node.args[0], inners, made)
        elif node.kind == "if":
            yield from self.each(node.args[1 if self._true(node.args[0], env, made) else 2], env, made)
        elif node.kind == "op" and node.value == "\\cdot" and self.state is not None:
            for between in self.each(node.args[0], env, made):
                yield from _Search(self.ev, between).each(node.args[1], env, {})
        elif node.kind == "op" and node.value == "=>":
            if self._true(node.args[0], env, made):
                yield from self.each(node.args[1], env, made)
            else:
                yield made
        elif node.kind == "case":
            for condition, value in node.args:
                if condition is None or self._true(condition, env, made):
                    yield from self.each(value, env, made)
                    break
        elif node.kind == "let":
            yield from self.each(node.args[0], env.let(node.value), made)
        elif node.kind == "unchanged":
            yield from self._unchanged(node.args[0], env, made)
        elif node.kind == "box":
            yield from self.each(or_unchanged(node), env, made)
        elif node.kind in ("id", "op", "path"):
            yield from self._applied(node, env, made)
        elif self._true(node, env, made):
            yield made

    def _all(self, items: tuple[Node, ...], env: Env, made: State) -> Iterator[State]:
        if not items:
            yield made
            return
        for known in self.each(items[0], env, made):
            yield from self._all(items[1:], env, known)

    def _every(self, node: Node, envs: tuple[Env, ...], made: State) -> Iterator[State]:
        if not envs:
            yield made
            return
        for known in self.each(node, envs[0], made):
            yield from self._every(node, envs[1:], known)

    def _known(self, made: State) -> tuple[State, State | None]:
        return (made, None) if self.state is None else (self.state, made)

    def _true(self, node: Node, env: Env, made: State) -> bool:
        return self.ev.truth(node, env, *self._known(made))

    def _unchanged(self, node: Node, env: Env, made: State) -> Iterator[State]:
        if node.kind == "tuple":
            conjuncts = tuple(Node("unchanged", n.place, (n,)) for n in node.args)
            yield from self._all(conjuncts, env, made)
            return
        if node.kind == "id":
            found = env.find(node.value)
            if isinstance(found, Operator) and not found.definition.params and found.definition.body is not None:
                yield from self._unchanged(found.definition.body, found.env, made)
                return
            if isinstance(found, Substitution):
                yield from self._unchanged(found.node, found.env, made)
                return
        name = self._assigned(Node("prime", node.place, (node,)), env)
        assert self.state is not None
        if name is None:
            if self.ev.evaluate(node, env, self.state) == self.ev.evaluate(node, env, made):
                yield made
        else:
            yield from self._set(name, [self.state[name]], made)

    def _assigned(self, node: Node, env: Env) -> str | None:
        """The variable that a primed name is; in an initial predicate, that a name is."""
        return assigned_variable(node, env, self.state is None)

    def _set(self, name: str, values: Any, made: State) -> Iterator[State]:
        if name in made:
            if made[name] in values:
                yield made
            return
        for value in values:
            yield {**made, name: value}

    def _applied(self, node: Node, env: Env, made: State) -> Iterator[State]:
        ev = self.ev
        if node.kind == "op" and node.value in ("=", "\\in") and env.find(node.value) is None:
            name = self._assigned(node.args[0], env)
            if name is not None:
                value = ev.evaluate(node.args[1], env, *self._known(made))
                if node.value == "\\in" and name not in made:
                    value = in_order(value)
                yield from self._set(name, [value] if node.value == "=" else value, made)
                return
        target, found, args = node, None, node.args
        if node.kind == "path":
            inner, target = ev.followed(node, env)
            found, args = inner.find(target.value), target.args
        else:
            found = env.find(node.value)
        while isinstance(found, Substitution):
            if found.node.kind != "id":
                yield from self.each(found.node, found.env, made)
                return
            found = found.env.find(found.node.value)
        if isinstance(found, Operator) and not found.definition.bounds and found.definition.body is not None:
            names = dict(zip(found.definition.params, (self._argument(a, env, made) for a in args), strict=True))
            yield from self.each(found.definition.body, Env(found.env, names), made)
        elif self._true(node, env, made):
            yield made

    def _argument(self, node: Node, env: Env, made: State) -> Any:
        """An argument, by its value where it has one; x' as an argument is assigned through its name."""
        try:
            return Local(self.ev.argument(node, env, *self._known(made)))
        except (Undefined, KeyError):
            return Substitution(node, env)


def explored(ev: Evaluator, init: Node, action: Node, env: Env, most: int) -> tuple[list[State], int, int]:
    """States in the order of a breadth-first search: at most so many; how many were generated; the depth."""
    seen: dict[Any, State] = {}
    generated, level, depth = 0, [], 0
    for state in initial_states(ev, init, env):
        generated += 1
        key = frozenset(state.items())
        if key not in seen:
            seen[key] = state
            level.append(state)
        if len(seen) >= most:
            return list(seen.values()), generated, 1
    while level:
        depth += 1
        following = []
        for state in level:
            for new in successors(ev, action, env, state):
                generated += 1
                key = frozenset(new.items())
                if key not in seen:
                    seen[key] = new
                    following.append(new)
            if len(seen) >= most:
                return list(seen.values()), generated, depth
        level = following
    return list(seen.values()), generated, depth


def _enabled(ev: Evaluator, node: Node, env: Env, state: State, primes: Any) -> bool:
    return next(successors(ev, node.args[0], env, state), None) is not None


LAZY["ENABLED"] = _enabled
