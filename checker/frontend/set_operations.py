"""Sets that are made in lifted code: their members exist under conditions, and each is there once."""

from __future__ import annotations

import itertools
import operator
from typing import Any

from ..ir.expr import Expr
from ..ir.optional import OptionalValue
from ..ir.sets import DetachedSet, SetView
from ..language.record import Record
from .conditional_elements import ConditionalElements, Piece
from .parts import Part

COMBINED = {
    "union": "or_",
    "intersection": "and_",
    "difference": "sub",
    "symmetric_difference": "xor",
    **{f"{name}_update": name for name in ("intersection", "difference", "symmetric_difference")},
}
"""Methods of sets, and the operator of each."""
COMPARED = {"issubset": "le", "issuperset": "ge"}
SET_METHODS = {"union", "intersection", "difference", "symmetric_difference", "isdisjoint", *COMPARED}
"""Methods that make another value."""


def is_conditional_set(value: Any) -> bool:
    """Whether a value is a set whose members exist under conditions."""
    return type(value) is ConditionalElements and value.is_set()


def is_set(value: Any) -> bool:
    """Whether a value is a set of any kind."""
    return is_conditional_set(value) or issubclass(type(value), (set, frozenset, SetView))


class SetOperations(Part):
    """The operations of one tracer on sets."""

    def set_of(self, items: list[Any]) -> Any:
        return self.set_of_pieces([(self.pool.true, v) for v in items])

    def set_of_pieces(self, pieces: list[Piece]) -> Any:
        for _, value in pieces:
            if isinstance(value, Record):
                self.tracer.stores(value)  # a member that changes is lost to the set
        if all(exists is self.pool.true and not self.depends(value) for exists, value in pieces):
            return self.own({value for _, value in pieces})
        return ConditionalElements(self, self._different(pieces), set)

    def _different(self, pieces: list[Piece]) -> list[Piece]:
        """Of equal members the first that exists; those that are surely equal become one."""
        found: list[Piece] = []
        for exists, value in pieces:
            plain = value.value if type(value) is OptionalValue else value
            if isinstance(plain, (list, dict, set)):
                raise TypeError(f"unhashable type: '{plain.__class__.__name__}'")
            equal = [self.truth(self.eq(v, value)) for _, v in found]
            at = equal.index(self.pool.true) if self.pool.true in equal else len(found)
            same = [self.pool.and_((e, equal[i])) for i, (e, _) in enumerate(found) if i != at]
            exists = self.pool.and_((exists, self.pool.not_(self.pool.or_(same))))
            if at < len(found):
                found[at] = (self.pool.or_((found[at][0], exists)), found[at][1])
                continue
            if exists is not self.pool.false:
                found.append((exists, value))
        return found

    def members(self, items: Any) -> list[Piece]:
        """The members of a set of any kind."""
        found: list[Piece] = self.pieces_of(self.in_any_order(items))
        return found

    def subsets_of(self, items: ConditionalElements) -> Any:
        """Every set of some members of a set."""
        members, found = self.members(items), list[Piece]()
        for taken in itertools.product((False, True), repeat=len(members)):
            some = list(itertools.compress(members, taken))
            found.append((self.pool.and_([exists for exists, _ in some]), self.set_of([value for _, value in some])))
        return ConditionalElements(self, found)

    def combined(self, name: str, a: Any, b: Any) -> Any:
        """`|`, `&`, `-` or `^` of two sets, at least one of which depends on the state."""
        view, other = (a, b) if isinstance(a, SetView) else (b, a)
        if isinstance(view, SetView):
            beside = DetachedSet(self.members(other)) if is_conditional_set(other) else other
            smaller = name == "and_" or (name == "sub" and view is a)
            if smaller or isinstance(beside, SetView) or self.branching.decide(view._room(beside)):
                return getattr(operator, name)(*((view, beside) if view is a else (beside, view)))
        mine, theirs = self.members(a), self.members(b)
        if name == "or_":
            return ConditionalElements(self, self._different([*mine, *theirs]), set)
        if name == "xor":
            return ConditionalElements(self, [*self._kept(mine, theirs, False), *self._kept(theirs, mine, False)], set)
        return ConditionalElements(self, self._kept(mine, theirs, name == "and_"), set)

    def _kept(self, some: list[Piece], others: list[Piece], inside: bool) -> list[Piece]:
        """The members that are among others, or that are not."""
        pool, found = self.pool, list[Piece]()
        for exists, value in some:
            there = self._among(value, others)
            found.append((pool.and_((exists, there if inside else pool.not_(there))), value))
        return [piece for piece in found if piece[0] is not pool.false]

    def _among(self, value: Any, others: list[Piece]) -> Expr:
        return self.truth(self.any_of_pieces([(e, self.eq(v, value)) for e, v in others]))

    def combined_all(self, name: str, items: Any, *others: Any) -> Any:
        """The same for a method, which takes iterables of any kind."""
        for other in others:
            items = self.combined(
                COMBINED[name], items, other if is_set(other) else self.set_of_pieces(self.members(other))
            )
        return items

    def same_sets(self, a: Any, b: Any) -> Any:
        """`==` of two sets; in one at least, members exist under conditions."""
        view, other = (a, b) if isinstance(a, SetView) else (b, a)
        return view == DetachedSet(other.pieces()) if isinstance(view, SetView) else self.compared("eq", a, b)

    def compared(self, name: str, a: Any, b: Any) -> Any:
        """`<=`, `<`, `>=`, `>` or `==` of two sets."""
        if name in ("ge", "gt"):
            return self.compared({"ge": "le", "gt": "lt"}[name], b, a)
        mine, theirs = self.members(a), self.members(b)
        inside = self._within(mine, theirs)
        if name == "le":
            return self.tracer.boolean(inside)
        covers = self._within(theirs, mine)
        return self.tracer.boolean(self.pool.and_((inside, covers if name == "eq" else self.pool.not_(covers))))

    def _within(self, some: list[Piece], others: list[Piece]) -> Expr:
        """Whether each of some members is one of others."""
        pool = self.pool
        return pool.and_([pool.or_((pool.not_(exists), self._among(value, others))) for exists, value in some])

    def set_method(self, name: str, items: Any, others: tuple[Any, ...]) -> Any:
        """A method of a set that depends on the state, or whose arguments do."""
        if name == "isdisjoint":
            return self.not_(self.combined_all("intersection", items, *others))
        if name in COMPARED:
            return self.compared(COMPARED[name], items, self.set_of_pieces(self.members(others[0])))
        return self.combined_all(name, items, *others)
