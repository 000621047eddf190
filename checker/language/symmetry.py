"""Interchangeable values: states that differ by a permutation of them are equivalent.

This module computes the image of a value under a permutation, in plain Python. `checker/engines/symmetry` decides which
engines may leave states out, and what must be proved before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from .domains import Domain, Int
from .state import HasVariables, State

Permutation = Mapping[str, tuple[int, ...]]
"""For each set, by name, the images of its values."""


class Interchangeable(Int):
    """The values 0 to n - 1, none of which differs from the others: symmetry reduction.

    `name` says what they are; all domains of one name are permuted together. A spec that distinguishes the values is
    refused (E139).

        self.leader = Interchangeable(3, "nodes", init=AnyOf())
        self.leader = choose(Interchangeable(3, "nodes"))  # in an action
    """

    def __init__(self, n: int, name: str, init: Any = ...) -> None:
        if not isinstance(n, int) or n < 1:
            raise self._malformed(f"there are {n!r} values", 'write for example Interchangeable(3, "nodes")')
        if not isinstance(name, str) or not name:
            raise self._malformed("it lacks a name", 'write for example Interchangeable(3, "nodes")')
        super().__init__(0, n - 1, *(() if init is ... else (init,)))
        self.n, self.name = n, name

    def __repr__(self) -> str:
        return f"Interchangeable({self.n}, {self.name!r})"

    def moved(self, value: Any, by: Permutation) -> Any:
        return by[self.name][value]


def parts_of(domain: Domain) -> Iterator[Domain]:
    """A domain and all that it is made of; the domain of its keys is one of them."""
    yield domain
    for part in domain.inner():
        yield from parts_of(part)


def sets_of(spec: HasVariables) -> dict[str, list[int]]:
    """The sets of interchangeable values in a state, by name, with the numbers of values that are given for each."""
    found: dict[str, list[int]] = {}
    for domain in spec.domains.values():
        for part in parts_of(domain):
            if isinstance(part, Interchangeable) and part.n not in found.setdefault(part.name, []):
                found[part.name].append(part.n)
    return found


def permutations(spec: HasVariables) -> list[Permutation]:
    """All of them, the identity first."""
    sizes = {name: sizes[0] for name, sizes in sets_of(spec).items()}
    each = [list(itertools.permutations(range(n))) for n in sizes.values()]
    return [dict(zip(sizes, chosen, strict=True)) for chosen in itertools.product(*each)]


def generators(spec: HasVariables) -> list[Permutation]:
    """Generators of all permutations: of each set the first two values swapped, and all of them rotated by one."""
    sizes = {name: sizes[0] for name, sizes in sets_of(spec).items()}
    still = {name: tuple(range(n)) for name, n in sizes.items()}
    found = list[Permutation]()
    for name, n in sizes.items():
        if n > 1:
            found.append({**still, name: (1, 0, *range(2, n))})
        if n > 2:
            found.append({**still, name: (*range(1, n), 0)})
    return found


def moved_state(state: State, by: Permutation) -> State:
    """The image of a state under a permutation."""
    cells: list[int] = []
    for name, domain in state.domains.items():
        domain.encode(domain.make(domain.moved(state.value(name), by)), cells)
    return State(state.domains, tuple(cells))
