"""What a temporal formula is worth on a small graph, by definition: all lassos up to a length, one after the other.

A lasso is a list of states with the steps between them, and the place to which it goes back (its last place for a
behaviour that stops). Nothing here is shared with the checker, nor is any rule: no automaton, no components.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LONGEST = 7
Edge = tuple[int, int, int]
"""From a state by an action to another state."""


@dataclass(frozen=True)
class System:
    """A graph with conditions: for each state the truths of its conditions. `fair` has pairs of "weak" or "strong" and
    actions."""

    states: list[tuple[bool, ...]]
    initial: list[int]
    edges: list[Edge]
    fair: list[tuple[str, frozenset[int]]]


@dataclass(frozen=True)
class Lasso:
    """States, the actions of the steps between them (the last one leads back), and the place to which it goes back."""

    path: tuple[int, ...]
    actions: tuple[int, ...]
    back: int


def system(dice: random.Random) -> System:
    """A random system of up to five states."""
    size, actions = dice.randint(1, 5), dice.randint(1, 3)
    states: list[tuple[bool, ...]] = [(dice.random() < 0.5, dice.random() < 0.5) for _ in range(size)]
    pairs = [(a, b) for a in range(size) for b in range(size) if a != b]
    chosen = dice.sample(pairs, min(len(pairs), dice.randint(0, 7)))
    edges = sorted({(a, dice.randrange(actions), b) for a, b in chosen})
    fair = [
        (dice.choice(["weak", "strong"]), frozenset(dice.sample(range(actions), dice.randint(1, actions))))
        for _ in range(dice.choice([0, 0, 1, 1, 2]))
    ]
    return System(states, sorted(dice.sample(range(size), dice.randint(1, min(2, size)))), edges, fair)


def formula(dice: random.Random, depth: int) -> Any:
    """A random formula over two conditions."""
    if depth == 0 or dice.random() < 0.1:
        return dice.randrange(2)
    operator = dice.choice(["always", "eventually", "always", "eventually", "until", "not", "and", "or", "implies"])
    parts = 1 if operator in ("always", "eventually", "not") else 2
    return (operator, *(formula(dice, depth - 1) for _ in range(parts)))


def lassos(of: System, longest: int = LONGEST) -> Iterator[Lasso]:
    """Every lasso of up to so many steps."""
    todo: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((state,), ()) for state in of.initial]
    while todo:
        path, actions = todo.pop()
        yield Lasso(path, (*actions, -1), len(path) - 1)
        if len(path) > longest:
            continue
        for source, action, target in of.edges:
            if source == path[-1]:
                for place, state in enumerate(path):
                    if state == target:
                        yield Lasso(path, (*actions, action), place)
                todo.append(((*path, target), (*actions, action)))


def is_fair(of: System, lasso: Lasso) -> bool:
    """Whether nothing fair is neglected on the cycle."""
    cycle, taken = lasso.path[lasso.back :], set(lasso.actions[lasso.back :])
    for strength, members in of.fair:
        enabled = [any(source == state and action in members for source, action, _ in of.edges) for state in cycle]
        if not taken & members and (all(enabled) if strength == "weak" else any(enabled)):
            return False
    return True


def holds(of: System, lasso: Lasso, form: Any, place: int = 0) -> bool:
    """Whether a formula holds at a place of a lasso, by its definition."""
    if not isinstance(form, tuple):
        return of.states[lasso.path[place]][form]
    operator, *parts = form
    if operator == "not":
        return not holds(of, lasso, parts[0], place)
    if operator == "and":
        return holds(of, lasso, parts[0], place) and holds(of, lasso, parts[1], place)
    if operator == "or":
        return holds(of, lasso, parts[0], place) or holds(of, lasso, parts[1], place)
    if operator == "implies":
        return holds(of, lasso, parts[1], place) or not holds(of, lasso, parts[0], place)
    ahead = _ahead(lasso, place)
    if operator == "always":
        return all(holds(of, lasso, parts[0], at) for at in ahead)
    if operator == "eventually":
        return any(holds(of, lasso, parts[0], at) for at in ahead)
    for at in ahead:
        if holds(of, lasso, parts[1], at):
            return True
        if not holds(of, lasso, parts[0], at):
            return False
    return False


def _ahead(lasso: Lasso, place: int) -> list[int]:
    """Every place from one on, in the order in which they come first."""
    return [*range(place, len(lasso.path)), *range(lasso.back, place)]
