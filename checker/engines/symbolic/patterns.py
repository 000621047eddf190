"""Clauses that differ in indices only, printed once: never has[i] and has[j]  for all i < j of 0..3."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Sequence

INDEX = re.compile(
    r"(?<=\[)\d+(?=\])"
    r"|(?:(?<=\()|(?<=, ))\w+=\d+(?=[,)])"
    r"|(?:^|(?<=never )|(?<=and )|(?<=not ))\d+(?= in )"
)
"""A place in an array, a number in a field of a record, or a member of a set."""
LETTERS = "ijklmnop"
MOST, LISTED = 50_000, 6
"""Choices that are compared with all that there are, and those that are listed."""
Index = tuple[str, int]
"""What a number is an index of, and the number."""


def patterns(clauses: Sequence[Sequence[str]]) -> list[str]:
    """A line for each pattern of clauses, which are given by what never holds together."""
    found: dict[str, dict[tuple[Index, ...], str]] = defaultdict(dict)
    for parts in clauses:
        text = f"never {' and '.join(sorted(parts, key=_order))}"
        indices = list(dict.fromkeys(map(_index, INDEX.findall(text))))
        found[_put(text, indices, range(len(indices)))][tuple(indices)] = text
    return list(map(_line, found.values()))


def _line(texts: dict[tuple[Index, ...], str]) -> str:
    """The line of some clauses of one pattern: a letter for each index, the same one for indices that are always equal;
    none for an index that is the same in all."""
    first, choices = next(iter(texts.values())), list(texts)
    columns = [tuple(number for _, number in column) for column in zip(*choices, strict=True)]
    different = [column for column in dict.fromkeys(columns) if len(set(column)) > 1]
    if len(texts) == 1 or len(different) > len(LETTERS):
        return first if len(texts) == 1 else f"{first}  (and {len(texts) - 1} more like this)"
    places = [different.index(column) if column in different else None for column in columns]
    kinds = [choices[0][columns.index(column)][0] for column in different]
    return f"{_put(first, choices[0], places)}  for {_said(kinds, list(zip(*different, strict=True)))}"


def _index(text: str) -> Index:
    kind, _, number = text.rpartition("=")
    return kind, int(number)


def _order(part: str) -> tuple[str, list[int]]:
    return INDEX.sub("", part), [number for _, number in map(_index, INDEX.findall(part))]


def _put(text: str, indices: Sequence[Index], places: Sequence[int | None]) -> str:
    """A text with letters in the place of indices, which have the numbers of the letters; None for those that stay."""

    def letter(match: re.Match[str]) -> str:
        kind, number = _index(match[0])
        place = places[indices.index((kind, number))]
        return match[0] if place is None else f"{kind}{'=' if kind else ''}{LETTERS[place : place + 1] or place}"

    return INDEX.sub(letter, text)


def _said(kinds: Sequence[str], choices: Sequence[tuple[int, ...]]) -> str:
    """The indices that the letters mean, given the kind of each."""
    places = {kind: [at for at, other in enumerate(kinds) if other == kind] for kind in dict.fromkeys(kinds)}
    values = {kind: sorted({choice[at] for choice in choices for at in some}) for kind, some in places.items()}
    signs = [("!=", "<") if len(some) > 1 else ("",) for some in places.values()]
    every = math.prod(len(values[kind]) for kind in kinds)
    for chosen in itertools.product(*signs) if every <= MOST else ():
        parts = [(places[kind], values[kind], sign) for kind, sign in zip(places, chosen, strict=True)]
        if set(choices) == _all(parts, len(kinds)):
            return "all " + ", ".join(f"{_letters(some, sign)} of {_values(of)}" for some, of, sign in parts)
    letters = ", ".join(LETTERS[: len(kinds)])
    listed = "; ".join(", ".join(map(str, choice)) for choice in sorted(choices)[:LISTED])
    return f"{letters} = {listed}" if len(choices) <= LISTED else f"{len(choices):,} choices of {letters}"


def _all(parts: Sequence[tuple[list[int], list[int], str]], size: int) -> set[tuple[int, ...]]:
    """All choices of different values for the places of each part, in order where its sign is <."""
    found = set()
    each = [itertools.combinations(v, len(p)) if s == "<" else itertools.permutations(v, len(p)) for p, v, s in parts]
    for chosen in itertools.product(*each):
        numbers = [0] * size
        for (places, _, _), values in zip(parts, chosen, strict=True):
            for place, value in zip(places, values, strict=True):
                numbers[place] = value
        found.add(tuple(numbers))
    return found


def _letters(places: Sequence[int], sign: str) -> str:
    return (f" {sign} " if sign else "").join(LETTERS[at] for at in places)


def _values(values: Sequence[int]) -> str:
    if len(values) > 2 and values == list(range(values[0], values[-1] + 1)):
        return f"{values[0]}..{values[-1]}"
    return ", ".join(map(str, values))
