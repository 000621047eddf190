"""Unreachability that z3 shows: actions that no state enables, left sides of `implies` that no state makes true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...backends.smt import Clock, Stopped, System, Unrolling, z3
from ..vacuity import never_enabled, never_true


@dataclass(frozen=True)
class Expectation:
    """Something that some reachable state should show; `missing` makes the warning that none does, and where it was
    looked for."""

    name: str
    formula: Any
    missing: Callable[[str], str]


def sights(system: System) -> list[Expectation]:
    """What the reachable states of some models should show."""
    guards: dict[str, list[Any]] = {}
    for leaf in system.leaves:
        guards.setdefault(leaf.instance.name, []).append(leaf.guard)
    names = dict.fromkeys(action.instance.name for action in system.model.actions)
    found = [
        Expectation(name, z3.And(system.inside, z3.Or(guards.get(name, []))), partial(never_enabled, name))
        for name in names
    ]
    for number, antecedent in enumerate(system.model.antecedents):
        terms = [model.antecedents[number : number + 1] for model in system.models]
        formula = system.each(lambda m: system.term(m, terms[m][0].term) if terms[m] else z3.BoolVal(False))  # noqa: B023
        found.append(Expectation("", formula, partial(never_true, antecedent.property, antecedent.where)))
    return found


def excluded(system: System, wanted: Sequence[Expectation], invariant: Sequence[Any], clock: Clock) -> tuple[str, ...]:
    """Warnings: the expectations that no state allowed by an invariant satisfies; none where z3 gives up."""
    unrolling = Unrolling(system, clock)
    unrolling.add(system.valid)
    unrolling.add(z3.And(list(invariant)))
    try:
        return tuple(sight.missing("") for sight in wanted if unrolling.ask(unrolling.name(sight.formula)) is None)
    except Stopped:
        return ()
