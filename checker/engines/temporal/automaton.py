"""From a formula of linear temporal logic to a Buechi automaton, on the fly.

The tableau of R. Gerth, D. Peled, M. Vardi, P. Wolper: Simple On-the-fly Automatic Verification of Linear Temporal
Logic (1995), without `next`. A location says what holds now (its literals) and what must hold next; locations that
agree in this and in the `until` formulas that they fulfil are one. A run is accepted if it fulfils every `until` again
and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...language import formulas as ltl
from ...language.formulas import Form

LITERAL, RELEASE, TRUE, FALSE = "literal", "release", ("true",), ("false",)
Formulas = frozenset[Form]
Literal = tuple[int, bool]
"""The number of a condition, and the value that it must have."""


@dataclass(frozen=True)
class Location:
    """What holds now, what must hold next, and which of all `until` formulas are fulfilled."""

    literals: frozenset[Literal]
    following: Formulas
    fulfilled: frozenset[int]


@dataclass(frozen=True)
class Automaton:
    """Locations by number; `accepting` is how many sets of locations must each be visited again and again: set k has
    the locations that fulfil `until` number k."""

    locations: list[Location]
    initial: list[int]
    successors: list[list[int]]
    accepting: int


def negated(form: Any, positive: bool = False) -> Form:
    """The negation of a form, with negations at conditions only; with `positive` the form itself so."""
    if not isinstance(form, tuple):
        return (LITERAL, form, positive)
    operator, *parts = form
    match operator:
        case ltl.NOT:
            return negated(parts[0], not positive)
        case ltl.IMPLIES:
            return negated((ltl.OR, (ltl.NOT, parts[0]), parts[1]), positive)
        case ltl.ALWAYS:
            return negated((ltl.NOT, (ltl.EVENTUALLY, (ltl.NOT, parts[0]))), positive)
        case ltl.EVENTUALLY:
            inner = negated(parts[0], positive)
            return (ltl.UNTIL, TRUE, inner) if positive else (RELEASE, FALSE, inner)
        case ltl.UNTIL:
            return (ltl.UNTIL if positive else RELEASE, *(negated(part, positive) for part in parts))
    same = operator if positive else {ltl.AND: ltl.OR, ltl.OR: ltl.AND}[operator]
    if not parts:
        return TRUE if same == ltl.AND else FALSE
    return (same, *(negated(part, positive) for part in parts))


def automaton_of(form: Form) -> Automaton:
    """The automaton that accepts what satisfies a form as `negated` gives it."""
    untils = sorted(_untils(form), key=repr)
    numbers: dict[Location, int] = {}
    successors: list[list[int]] = []

    def number(location: Location) -> int:
        if location not in numbers:
            numbers[location] = len(numbers)
            successors.append([])
        return numbers[location]

    def locations(formulas: Formulas) -> list[int]:
        return list(dict.fromkeys(number(location) for location in _covers(formulas, untils)))

    initial, done = locations(frozenset([form])), 0
    while done < len(numbers):
        location = list(numbers)[done]
        successors[done] = locations(location.following)
        done += 1
    return Automaton(list(numbers), initial, successors, len(untils))


def _untils(form: Form) -> set[Form]:
    if form[0] == LITERAL:
        return set()
    found = {form} if form[0] == ltl.UNTIL else set()
    return found.union(*(_untils(part) for part in form[1:]))


def _covers(formulas: Formulas, untils: list[Form]) -> Iterator[Location]:
    """Every way to make some formulas true from now on."""
    todo: list[tuple[list[Form], Formulas, Formulas]] = [(sorted(formulas, key=repr), frozenset(), frozenset())]
    while todo:
        new, old, following = todo.pop()
        if not new:
            literals = frozenset((f[1], f[2]) for f in old if f[0] == LITERAL)
            fulfilled = frozenset(k for k, until in enumerate(untils) if until not in old or _holds(until[2], old))
            yield Location(literals, following, fulfilled)
            continue
        *rest, form = new
        if form in old or form == TRUE:
            todo.append((rest, old, following))
            continue
        seen = old | {form}
        match form[0]:
            case "literal":
                if (LITERAL, form[1], not form[2]) not in old:
                    todo.append((rest, seen, following))
            case ltl.AND:
                todo.append(([*rest, *form[1:]], seen, following))
            case ltl.OR:
                todo += [([*rest, part], seen, following) for part in form[1:]]
            case ltl.UNTIL:
                todo.append(([*rest, form[1]], seen, following | {form}))
                todo.append(([*rest, form[2]], seen, following))
            case "release":
                todo.append(([*rest, form[2]], seen, following | {form}))
                todo.append(([*rest, form[1], form[2]], seen, following))


def _holds(form: Form, old: Formulas) -> bool:
    return form == TRUE or form in old
