"""The images of clauses under permutations of interchangeable values.

Where a spec declares `Interchangeable` values, what excludes a cube of states mostly excludes its images, too. They are
guessed with it, and each is checked like any other guess, so nothing depends on whether the values are interchangeable.
A. Goel, K. Sakallah: On symmetry and quantification: a new approach to verify distributed protocols, 2021 (IC3PO).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.expr import Expr
from ...ir.substitution import Substitution
from ...language.symmetry import Permutation, generators, sets_of
from ..symmetry import moved_terms
from .predicates import Clause, Predicates

MOST = 5_000
"""Images of a clause; one with more has none but itself."""


class Orbits:
    """The images of clauses, or of cubes, over the predicates of a spec with interchangeable values."""

    def __init__(self, predicates: Predicates) -> None:
        self.predicates, systems = predicates, predicates.system.models
        spec = predicates.system.model.spec
        sizes = sets_of(spec) if len(systems) == 1 else {}
        self.names = ", ".join(sizes)
        alike = all(len(set(numbers)) == 1 for numbers in sizes.values())
        self._images = [self._of(by) for by in generators(spec)] if sizes and alike else []

    def __bool__(self) -> bool:
        return bool(self._images)

    def _of(self, by: Permutation) -> dict[int, int]:
        """The image of each predicate that has one, as a literal."""
        predicates = self.predicates
        places = predicates.system.states.places[0]
        cells = [predicates.variables[place] for place in places]
        moved = moved_terms(predicates.pool, predicates.system.model.spec, cells, by)
        terms = list(predicates.variables)
        for place, term in zip(places, moved, strict=True):
            terms[place] = term
        move = Substitution(predicates.pool, terms)
        known = {shape(term): i for i, term in enumerate(predicates.terms, 1)}
        found = {}
        for i, term in enumerate(predicates.terms, 1):
            image = self._image(move, terms, term)
            negative = image.op == "not"
            literal = known.get(shape(image.args[0] if negative else image))
            if literal is not None:
                found[i] = -literal if negative else literal
        return found

    def _image(self, move: Substitution, terms: Sequence[Expr], term: Expr) -> Expr:
        """The image of a predicate; that a cell has one of the values says so of another value."""
        if term.op == "eq" and term.args[0].op == "var" and term.args[1].op == "const":
            image, pool = terms[term.args[0].value], self.predicates.pool
            if image.op == "select" and all(option.op == "const" for option in image.args[1:]):
                values = [option.value for option in image.args[1:]]
                if term.args[1].value in values:
                    return pool.eq(image.args[0], pool.const(values.index(term.args[1].value)))
        return move(term)

    def of(self, clause: Clause) -> list[Clause]:
        """A clause and its images; only itself where one of its predicates has no image, or if there are too many."""
        found, todo = {tuple(sorted(clause)): clause}, [clause]
        while todo:
            here = todo.pop()
            for image in self._images:
                literals = [image.get(abs(literal), 0) * (1 if literal > 0 else -1) for literal in here]
                if not all(literals) or len(found) > MOST:
                    return [clause]
                key = tuple(sorted(literals))
                if key not in found:
                    found[key] = tuple(literals)
                    todo.append(found[key])
        return list(found.values())

    def completed(self, clauses: Sequence[Clause]) -> list[Clause]:
        """Clauses with their images."""
        found: dict[Clause, Clause] = {}
        for clause in clauses:
            if tuple(sorted(clause)) not in found:
                found |= {tuple(sorted(image)): image for image in self.of(clause)}
        return list(found.values())

    def grouped(self, clauses: Sequence[Clause]) -> list[list[Clause]]:
        """Clauses in groups, each of which has images of its first one."""
        left = {tuple(sorted(clause)): clause for clause in clauses}
        found = []
        for key, clause in list(left.items()):
            if key in left:
                images = [tuple(sorted(image)) for image in self.of(clause)] if self else [key]
                group = [left.pop(image) for image in dict.fromkeys([key, *images]) if image in left]
                found.append(sorted(group, key=lambda clause: sorted(map(abs, clause))))
        return found


def shape(term: Expr) -> tuple[Any, ...]:
    """A term as a tuple that is the same where only the order of parts differs."""
    if not term.args:
        return term.op, term.value
    parts = tuple(map(shape, term.args))
    return term.op, tuple(sorted(parts)) if term.op in ("and", "or", "count", "eq", "add", "mul") else parts
