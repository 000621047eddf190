"""Arbitrary states of a spec, reachable or not: an action must mean the same in all of them."""

from __future__ import annotations

from random import Random

from everystate.checker.errors import EverystateError
from everystate.checker.language import Domain, Spec
from everystate.checker.language.bag import Bag
from everystate.checker.language.composite_domains import Array, Map, Option, Seq, Set
from everystate.checker.language.domains import Structure

Cells = tuple[int, ...]
WIDE = 1000


def arbitrary(spec: Spec, random: Random) -> Cells:
    """The cells of some state in which every variable has a value of its domain."""
    return tuple(cell for domain in spec.domains.values() for cell in _cells(domain, random))


def initial(spec: Spec) -> list[Cells]:
    """The initial states; none where a constraint excludes them all."""
    try:
        return [state.cells for state in spec.initial_states()]
    except EverystateError as error:
        assert error.code == "E134", error
        return []


def _cells(domain: Domain, random: Random) -> list[int]:
    if isinstance(domain, (Array, Map)):
        count = domain.n if isinstance(domain, Array) else len(domain.keys)
        return [cell for _ in range(count) for cell in _cells(domain.element, random)]
    if isinstance(domain, Bag):
        counted: list[int] = []
        domain.encode(domain.make(random.choices(domain.keys, k=random.randint(0, domain.capacity))), counted)
        return counted
    if isinstance(domain, Seq):
        length = random.randint(0, domain.capacity)
        filled = [cell for _ in range(length) for cell in _cells(domain.element, random)]
        return [length, *filled, *_blank(domain.element) * (domain.capacity - length)]
    if isinstance(domain, Set) and domain.capacity is not None:
        some = [_cells(domain.element, random) for _ in range(random.randint(0, domain.capacity))]
        packed: list[int] = []
        domain.encode(domain.make([domain.element.decode(cells, 0) for cells in some]), packed)
        return packed
    if isinstance(domain, Option):
        present = random.randint(0, 2) > 0
        return [int(present), *(_cells(domain.element, random) if present else _blank(domain.element))]
    if isinstance(domain, Structure):
        return [cell for field in domain.fields.values() for cell in _cells(field, random)]
    return [_number(cell.lo, cell.hi, random) for cell in domain.cells("")]


def _number(lo: int, hi: int, random: Random) -> int:
    """Any number of an interval; of a wide one mostly such as stand at an edge."""
    if hi - lo < WIDE or random.random() < 0.2:
        return random.randint(lo, hi)
    near = [edge + step for edge in (lo, hi, 0, 1 << 31, 1 << 32, 1 << 53, 1 << 60) for step in (-1, 0, 1, 2, 3)]
    return random.choice([number for number in near if lo <= number <= hi])


def _blank(domain: Domain) -> list[int]:
    return [cell.lo for cell in domain.cells("")]
