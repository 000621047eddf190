"""Random small systems with all kinds of fairness and temporal properties, held against `fair_judge`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from everystate.checker import (
    AnyOf,
    Int,
    Spec,
    action,
    choose,
    constraint,
    eventually,
    eventually_always,
    fair,
    infinitely_often,
    leads_to,
    strongly_fair,
)
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.checker.results.result import Result

from .fair_judge import Explicit

ACTIONS, VALUES = "abc", (0, 1)


def marked(dice: random.Random) -> Callable[[Any], Any]:
    """Fairness of an action by chance; those of one name in one system must agree, so the names tell all of it."""
    found: list[Callable[[Any], Any]] = []
    for strength, mark in (("weak", fair), ("strong", strongly_fair)):
        if dice.random() < 0.25:
            found.append(mark(together=f"{strength} all"))
        if dice.random() < 0.25:
            found.append(mark(together=f"{strength} each", each="i"))
    if dice.random() < 0.3:
        found.append(dice.choice([fair, strongly_fair]))

    def decorate(method: Any) -> Any:
        for mark in found:
            method = mark(method)
        return method

    return decorate


def system(seed: int) -> Spec:
    """A random system of up to six states."""
    dice = random.Random(seed)
    size = dice.randint(2, 6)
    chance = dice.choice([0.1, 0.2, 0.3])
    pairs = [(s, t) for s in range(size) for t in range(size)]
    moves = {(a, i): [pair for pair in pairs if dice.random() < chance] for a in ACTIONS for i in VALUES}
    starts = dice.sample(range(size), dice.randint(1, 2))
    edge = dice.choice([None, None, dice.randrange(size)])
    some = [frozenset(s for s in range(size) if dice.random() < 0.4) for _ in range(8)]
    jumps = [frozenset(pair for pair in pairs if dice.random() < 0.3) for _ in range(3)]

    def ways(a: str, i: int, at: Any) -> list[int]:
        return [t for s, t in moves[a, i] if at == s]

    def among(states: frozenset[int], at: Any) -> Any:
        return at in sorted(states)

    def crossing(steps: frozenset[tuple[int, int]], before: Any, at: Any) -> Any:
        return any(before == s and at == t for s, t in sorted(steps))

    class System(Spec):
        may_terminate = True

        def variables(self) -> None:
            self.at = Int(0, size - 1, init=AnyOf(*starts))

        @marked(dice)
        @action(i=VALUES)
        def a(self, i: int) -> None:
            self.at = choose(ways("a", i, self.at))

        @marked(dice)
        @action(i=VALUES)
        def b(self, i: int) -> None:
            self.at = choose(ways("b", i, self.at))

        @marked(dice)
        @action(i=VALUES)
        def c(self, i: int) -> None:
            self.at = choose(ways("c", i, self.at))

        @constraint
        def inside(self) -> bool:
            return self.at != edge if edge is not None and edge not in starts else True

        @eventually
        def comes(self) -> Any:
            return among(some[0], self.at)

        @leads_to(k=(1, 3))
        def follows(self, k: int) -> Any:
            return among(some[k], self.at), among(some[k + 1], self.at)

        @eventually_always(k=(5, 6))
        def stays(self, k: int) -> Any:
            return among(some[k], self.at)

        @infinitely_often
        def returns(self) -> Any:
            return among(some[7], self.at)

        @eventually
        def crosses(self, before: Any) -> Any:
            return crossing(jumps[0], before.at, self.at)

        @eventually_always
        def keeps_crossing(self, before: Any) -> Any:
            return crossing(jumps[1], before.at, self.at)

        @infinitely_often(k=(0, 2))
        def crosses_again(self, before: Any, k: int) -> Any:
            return crossing(jumps[k], before.at, self.at)

    return System()


def native(spec: Spec) -> Result:
    return exhaustive.check(model.build(spec))


def disagreements(seed: int, check: Callable[[Spec], Result], seen: Counter[str]) -> list[str]:
    """The properties of one system on which the checker and the judge differ, or whose lasso is none."""
    spec = system(seed)
    graph, result = Explicit(spec), check(spec)
    failing = {v.property: v.trace for v in result.violations}
    found = []
    for prop in spec.properties:
        if prop.kind == "constraint":
            continue
        fails = graph.fails(prop)
        seen[f"{prop.kind}{' of steps' if prop.steps else ''}: {'fails' if fails else 'holds'}"] += 1
        if fails != (prop.name in failing):
            found.append(f"seed {seed}: {prop.name} {'fails' if fails else 'holds'}, and the checker says otherwise")
        elif fails and not graph.confirms(prop, failing[prop.name]):
            found.append(f"seed {seed}: the lasso of {prop.name} breaks nothing")
    return found
