"""Conditions about some interchangeable values, written once for all choices of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from ...language.spec import Spec
from ...language.symmetry import sets_of
from .cell_sources import MARK, unmarked

MOST = 3
"""Values that one condition is about."""
NAMES = ("one", "two", "three")
Value = tuple[str, str]
"""An interchangeable value: the name of its kind, and its number."""


def quantified(spec: Spec, orbit: Sequence[Sequence[str]]) -> str | None:
    """That one of some conjunctions of marked conditions holds, in Python.

    None where they are not exactly the first one for each choice of different values.
    """
    first, sizes = orbit[0], {name: numbers[0] for name, numbers in sets_of(spec).items()}
    values = list(dict.fromkeys(value for part in first for value in MARK.findall(part)))
    if not values or len(values) > MOST:
        return None
    chosen = {frozenset(_put(part, values, choice) for part in first) for choice in _choices(values, sizes)}
    if chosen != {frozenset(map(unmarked, parts)) for parts in orbit}:
        return None
    condition = " and ".join(_put(part, values, NAMES) for part in first)
    loops = [f"for {NAMES[i]} in range({_size(spec, sizes[name])})" for i, (name, _) in enumerate(values)]
    pairs = itertools.combinations(enumerate(values), 2)
    differ = [f"{NAMES[i]} != {NAMES[j]}" for (i, a), (j, b) in pairs if a[0] == b[0]]
    return f"any({condition} {' '.join(loops)}{' if ' if differ else ''}{' and '.join(differ)})"


def _choices(values: Sequence[Value], sizes: dict[str, int]) -> Iterator[tuple[str, ...]]:
    """Every choice of values of the same kinds that differ as these do, as texts."""
    for numbers in itertools.product(*(range(sizes[name]) for name, _ in values)):
        if len({(name, number) for (name, _), number in zip(values, numbers, strict=True)}) == len(values):
            yield tuple(map(str, numbers))


def _put(part: str, values: Sequence[Value], texts: Sequence[str]) -> str:
    """A marked condition with texts in the place of some values."""

    def text(mark: re.Match[str]) -> str:
        return texts[values.index((mark[1], mark[2]))]

    return MARK.sub(text, part)


def _size(spec: Spec, number: int) -> str:
    """A number in Python: the only constant that has this value, if there is one."""
    names = [name for name, value in spec.constants.items() if type(value) is int and value == number]
    return f"self.{names[0]}" if len(names) == 1 else str(number)
