"""Partial-order reduction: takes a stubborn set of the parts that are enabled in a state, and leaves out the others.

A set T of parts is stubborn in a state s if

1. for each part of T with a step in s, T contains every part that may have a step in the same state and that either
   interferes with it or may also change one of the conditions that are looked for, as it may itself;
2. for each part of T without a step in s, T contains all parts that may make one of its false guards true;
3. some part of T has a step in s.

(A. Valmari: Stubborn sets for reduced state space generation, 1989; A state explosion, 1998; with guards as necessary
enabling sets: A. Laarman, E. Pater, J. van de Pol, H. Hansen: Guard-based partial-order reduction, 2016.) A part that
fails in s counts as one with a step. If all chosen steps lead back to levels that are expanded or being expanded,
and none continues from there, all steps are taken. This is the proviso for breadth-first search (D. Bosnacki, S. Leue,
A. Lluch Lafuente: Partial-order reduction for general state exploring algorithms, 2006).

Theorem. The reduced search visits a state without steps if one is reachable. For each condition it visits a state in
which the condition holds if one is reachable. It takes a step of each part that can ever have one, or fail; if a step
of the part can violate an action property, it takes such a step.

Proof. Let s be a state, among all that the reduced search expands, from which the target is the fewest steps away (in
the full space), and among these one on the last level. Assume that the target is not found there. Let t1 .. tn be the
steps to it, perhaps followed by a part u that fails or violates a property, and T the set chosen in s.
(a) Some ti is in T: take the first. It has a step in s, because by 2 no part outside T makes its false guards true,
and by 1 no part before it interferes with it. So it can be taken first, and the rest is the same, one step nearer.
(b) Only u is in T: for the same reasons it does in s what it does at the end, so the target was found. (c) None is
in T: take any part t of T with a step in s. By 1 nothing on the path interferes with it, so it keeps that step to the
end, which is therefore no state without steps. Taken first it leaves the path as it is, including u. A condition that
is looked for still holds at the end: if t could end it, all parts that can bring it about are in T, except those that
have no step where t has one. None of either kind is on the path, so the condition would hold in s. So after t the
target is as few steps away. By the proviso some t of T leads to a later level, or all parts with a step were taken,
which is (a). Both contradict the choice of s.

The set of all parts with a step also satisfies the theorem, by (a). So a search may take it in any state, as it does
where a smaller set does not pay.

A part that may leave the constraints interferes with all others, because no steps follow there. So every other part
leads from a state inside to one inside, at any position of the path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .expr import Expr
from .independence import Part, Relations, sought
from .traced import Model


@dataclass(frozen=True)
class Reduction:
    """The relations as tables; a set of parts, or of guards, is a number with a bit for each of them.

    `needs` are the guards of each part, `enabling` the parts that may make each guard true, `dependent` the parts that
    come with a part that has a step.
    """

    parts: tuple[Part, ...]
    guards: tuple[Expr, ...]
    needs: tuple[tuple[int, ...], ...]
    enabling: tuple[int, ...]
    dependent: tuple[int, ...]

    def enabled(self, false: int) -> int:
        """The parts that have a step, or fail, where some guards are false."""
        return mask(i for i, needs in enumerate(self.needs) if not any(false >> guard & 1 for guard in needs))

    def chosen(self, enabled: int, false: int, moving: int) -> int:
        """The enabled parts of a stubborn set: of the sets found, the first one with the fewest parts that lead to
        another state. `moving` are the enabled parts that do so; a set without any would lead nowhere."""
        best, least = enabled, (enabled & moving).bit_count()
        for first in bits(enabled & moving):
            if least <= 1:
                break
            found = self._closed(first, enabled, false, moving, least)
            if found is not None:
                best, least = found, (found & moving).bit_count()
        return best

    def _closed(self, first: int, enabled: int, false: int, moving: int, limit: int) -> int | None:
        """The enabled parts of the least stubborn set around a part; None when at least `limit` of them move."""
        chosen, todo, costly = 1 << first, 1 << first, enabled & moving
        while todo:
            part = next(bits(todo))
            todo &= todo - 1
            more = self.dependent[part] if enabled >> part & 1 else self._enabling(part, costly & ~chosen, false)
            todo |= more & ~chosen
            chosen |= more
            if (chosen & costly).bit_count() >= limit:
                return None
        return chosen & enabled

    def _enabling(self, part: int, costly: int, false: int) -> int:
        """What may make a false guard of a part true: of the guard for which that costs least."""
        guards = (guard for guard in self.needs[part] if false >> guard & 1)
        return min((self.enabling[guard] for guard in guards), key=lambda found: (found & costly).bit_count())


def reduction(model: Model) -> Reduction:
    """The tables of a model."""
    relations = Relations(model)
    parts, guards = relations.parts, relations.guards
    everyone = range(len(parts))
    makers = {guard: mask(i for i in everyone if relations.makes(i, guard, True)) for guard in guards}
    ending, making = (
        [mask(i for i in everyone if relations.makes(i, term, value)) for term in sought(model)]
        for value in (False, True)
    )
    dependent = []
    for one in everyone:
        visible = 0
        for ends, makes in zip(ending, making, strict=True):
            visible |= makes if ends >> one & 1 else 0
        found = mask(i for i in everyone if relations.interfere(one, i)) | visible
        dependent.append(found & mask(i for i in everyone if relations.together(one, i)))
    number = {guard: i for i, guard in enumerate(guards)}
    return Reduction(
        tuple(parts),
        guards,
        tuple(tuple(number[guard] for guard in part.guards) for part in parts),
        tuple(makers[guard] for guard in guards),
        tuple(dependent),
    )


def mask(found: Iterable[int]) -> int:
    """A set as a number."""
    value = 0
    for i in found:
        value |= 1 << i
    return value


def bits(value: int) -> Iterator[int]:
    """The members of a set, in order."""
    while value:
        yield (value & -value).bit_length() - 1
        value &= value - 1
