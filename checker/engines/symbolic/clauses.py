"""Prints the clauses of an invariant, and writes them as @lemma methods that `prove --inductive` accepts.

A clause is written as values that never hold together. Its literals about one cell are written as the values of that
cell, other literals as the comparisons of the spec. Clauses about the same variables are grouped.
"""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...ir.columns import in_rows
from ...ir.expr import Expr, cells_of
from ...language.domains import Enum
from ...language.symmetry import parts_of
from .cell_sources import Place, named, places, unmarked
from .lemma_imports import imports
from .orbits import Orbits
from .patterns import patterns
from .predicates import Clause, Predicates
from .quantified import quantified

MANY = 256
"""The number of values up to which the possible values of a cell are listed."""
TOGETHER = 12
"""Clauses in one lemma."""


class ClauseWriter:
    """Prints the clauses of an invariant over the predicates of one spec."""

    def __init__(self, predicates: Predicates) -> None:
        self.predicates, self.spec = predicates, predicates.system.model.spec
        self.places = places(self.spec)

    def groups(self, clauses: Sequence[Clause]) -> dict[tuple[str, ...], list[Clause]]:
        """The clauses by the variables that they are about, short ones first."""
        found: dict[tuple[str, ...], list[Clause]] = {}
        for clause in sorted(clauses, key=lambda clause: (len(clause), clause)):
            cells = sorted(cell for literal in clause for cell in cells_of([self._term(literal)]))
            found.setdefault(tuple(dict.fromkeys(self.places[cell].variable for cell in cells)), []).append(clause)
        return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))

    def lines(self, clauses: Sequence[Clause]) -> list[str]:
        """The clauses for people; those that differ in indices, or by a permutation of interchangeable values, once."""
        orbits, found = Orbits(self.predicates), list[str]()
        if not orbits:
            return [line for group in self.groups(clauses).values() for line in patterns(list(map(self._texts, group)))]
        for group in self.groups(clauses).values():
            for orbit in orbits.grouped(group):
                more = f"  (and {len(orbit) - 1:,} more with other {orbits.names})" if len(orbit) > 1 else ""
                found.append(self.text(orbit[0]) + more)
        return found

    def _term(self, literal: int) -> Expr:
        return self.predicates.terms[abs(literal) - 1]

    # -- for people ----------------------------------------------------------------------------------------

    def text(self, clause: Clause) -> str:
        """A clause as a line of text."""
        return f"never {' and '.join(self._texts(clause))}"

    def _texts(self, clause: Clause) -> list[str]:
        """What never holds together, for people."""
        alone, rest = self._parts(clause)
        parts = [
            _values_text(self.places[cell], values, *self.predicates.cells[cell][:2]) for cell, values in alone.items()
        ]
        parts += [("" if literal > 0 else "not ") + self._shown(self._term(literal)) for literal in rest]
        return parts

    def _parts(self, clause: Clause) -> tuple[dict[int, list[int]], list[int]]:
        """What never holds together: the values of single cells, and the other literals."""
        alone: dict[int, list[int]] = {}
        rest: list[int] = []
        for literal in (-literal for literal in clause):
            cells = sorted(cells_of([self._term(literal)]))
            lo, hi, _ = self.predicates.cells[cells[0]]
            if len(cells) > 1 or hi - lo >= MANY:
                rest.append(literal)
                continue
            held = alone.get(cells[0], list(range(lo, hi + 1)))
            alone[cells[0]] = [value for value in held if self._holds(literal, cells[0], value)]
        return alone, rest

    def _holds(self, literal: int, cell: int, value: int) -> bool:
        row, term = _Row({cell: value}), self._term(literal)
        return bool(in_rows(row, [term])[term.id][0]) is (literal > 0)

    def _shown(self, term: Expr) -> str:
        return _expression(term, lambda cell: self.places[cell].path, PLAIN)

    # -- as lemmas -----------------------------------------------------------------------------------------

    def lemmas(self, clauses: Sequence[Clause], file: Path) -> str:
        """The text of a file with the spec and a lemma for each group of clauses."""
        cls = type(self.spec)
        lines = [f'"""{cls.__name__} with an inductive invariant that `everystate prove` has found."""', ""]
        lines += imports(self._classes(), file)
        lines += ["", "", f"class {cls.__name__}WithLemmas({cls.__name__}):"]
        taken, orbits = set(dir(cls)) | set(self.spec.domains), Orbits(self.predicates)
        for variables, group in self.groups(clauses).items():
            conditions = [text for orbit in orbits.grouped(group) for text in self._of_orbit(orbits, orbit)]
            for first in range(0, len(conditions), TOGETHER):
                name = _unused("_and_".join(variables) or "always", taken)
                lines += ["    @lemma", f"    def {name}(self) -> bool:", "        return not any(["]
                lines += [f"            {condition}," for condition in conditions[first : first + TOGETHER]]
                lines += ["        ])", ""]
        return "\n".join(lines).rstrip() + "\n"

    def _classes(self) -> set[type]:
        """The classes that lemmas may use."""
        found = {type(self.spec)}
        for domain in itertools.chain.from_iterable(map(parts_of, self.spec.domains.values())):
            if isinstance(domain, Enum):
                found.update(*map(named, domain.members))
            found.update(*(named(piece.key) for piece in domain.pieces()))
        return found

    def _of_orbit(self, orbits: Orbits, orbit: Sequence[Clause]) -> list[str]:
        """What never holds, in Python: once for all choices of interchangeable values, if that says the same."""
        once = quantified(self.spec, list(map(self._conditions, orbit))) if len(orbit) > 1 else None
        return [once] if once else list(map(self.source, orbit))

    def source(self, clause: Clause) -> str:
        """What never holds together, in Python."""
        parts = list(map(unmarked, self._conditions(clause)))
        return parts[0] if len(parts) == 1 else f"({' and '.join(parts)})"

    def _conditions(self, clause: Clause) -> list[str]:
        """The same as marked conditions."""
        alone, rest = self._parts(clause)
        parts = [_source(self.places[cell], values, *self.predicates.cells[cell][:2]) for cell, values in alone.items()]
        for literal in rest:
            text = _expression(self._term(literal), self._number, PYTHON)
            parts.append(text if literal > 0 else f"not {text}")
        return parts

    def _number(self, cell: int) -> str:
        """A cell as a number, also where it has no value."""
        place, (lo, hi, _) = self.places[cell], self.predicates.cells[cell]
        source = place.source
        if place.members:
            source = str(hi)
            for number in reversed(range(hi)):
                source = f"({number} if {place.source} == {place.value(number)} else {source})"
        return place.guarded(source, "False" if place.boolean else str(lo))


class _Row:
    """One state in which only some cells have a value."""

    def __init__(self, cells: Mapping[int, int]) -> None:
        self.cells = cells

    def __len__(self) -> int:
        return 1

    def __getitem__(self, at: tuple[slice, int]) -> Any:
        import numpy as np

        return np.array([self.cells[at[1]]])


def _values_text(place: Place, values: Sequence[int], lo: int, hi: int) -> str:
    """The condition that a cell has one of some values, for people."""
    if place.boolean:
        return place.path if values == [1] else f"not {place.path}"
    names = list(map(place.text, values))
    if len(values) == 1:
        return f"{place.path} == {names[0]}"
    if not place.members and values == list(range(values[0], values[-1] + 1)) and (values[0] == lo or values[-1] == hi):
        return f"{place.path} <= {names[-1]}" if values[0] == lo else f"{place.path} >= {names[0]}"
    missing = [value for value in range(lo, hi + 1) if value not in values]
    if len(missing) == 1:
        return f"{place.path} != {place.text(missing[0])}"
    return f"{place.path} in {{{', '.join(names)}}}"


def _source(place: Place, values: Sequence[int], lo: int, hi: int) -> str:
    """The condition that a cell has one of some values, in Python."""
    blank = str(lo in values)
    if place.boolean:
        return place.guarded(place.source if values == [1] else f"(not {place.source})", blank)
    missing = [value for value in range(lo, hi + 1) if value not in values]
    if len(values) == 1:
        text = f"({place.source} == {place.value(values[0])})"
    elif not place.members and values and values == list(range(values[0], values[-1] + 1)):
        bounds = [f"{place.source} >= {values[0]}"] if values[0] > lo else []
        bounds += [f"{place.source} <= {values[-1]}"] if values[-1] < hi else []
        text = f"({' and '.join(bounds)})"
    elif len(values) <= len(missing):
        text = f"({place.source} in ({', '.join(map(place.value, values))},))"
    else:
        text = f"({place.source} not in ({', '.join(map(place.value, missing))},))"
    return place.guarded(text, blank)


@dataclass(frozen=True)
class TermWriter:
    """How terms are written."""

    all_of: str
    any_of: str
    none_of: str
    choice: str
    count: str


PLAIN = TermWriter("({})", "({})", "not ({})", "({1} if {0} else {2})", "count({})")
PYTHON = TermWriter("({})", "({})", "(not {})", "({1} if {0} else {2})", "sum([{}])")
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "//", "mod": "%", "eq": "==", "lt": "<"}


def _expression(term: Expr, cell: Callable[[int], str], words: TermWriter) -> str:
    """A term in Python, with cells as they are written."""
    if term.op == "const":
        return str(bool(term.value)) if term.boolean else str(term.value)
    if term.op == "var":
        return cell(term.value)
    parts = [_expression(part, cell, words) for part in term.args]
    if term.op in _SIGNS:
        return f"({parts[0]} {_SIGNS[term.op]} {parts[1]})"
    if term.op == "select":
        index, *options = parts
        found = options[-1]
        for i in reversed(range(len(options) - 1)):
            found = words.choice.format(f"({index} <= {i})", options[i], found)
        return found
    if term.op == "ite":
        return words.choice.format(*parts)
    comma = f" {term.op} " if term.op in ("and", "or") else ", "
    kind = {"and": words.all_of, "or": words.any_of, "not": words.none_of, "count": words.count}[term.op]
    return kind.format(comma.join(parts))


def _unused(name: str, taken: set[str]) -> str:
    """A method name that is neither taken nor a keyword of Python."""
    name = re.sub(r"\W", "_", name)[:60]
    found, number = f"never_{name}" if keyword.iskeyword(name) or name in taken else name, 1
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found
