"""References: tracks the views that a spec still holds of values that were replaced or moved.

Composite values are objects, as in Python. A name bound to a record still means this record when another one is
assigned to the place where it was read, and when it moves within its sequence. So every view of a composite value is
registered here, and gets another place when the state changes under it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ..language.domains import Domain
from .expr import Expr
from .facts import Path
from .places import PLACE, FixedCells, Place, split

Where = Callable[[int, FixedCells], Place]
"""Where the element of a slot is from now on, given the slot and the first element's place."""


class References:
    """The views of composite values that are alive on one path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: list[weakref.ref[Any]] = []
        self._room = 64

    def add(self, view: Any) -> None:
        """Register a view as long as it is referenced."""
        self._known.append(weakref.ref(view))
        if len(self._known) > self._room:
            self._known = [known for known in self._known if known() is not None]
            self._room = 2 * len(self._known) + 64

    def replaced(self, place: Place, domain: Domain, count: int = 1) -> None:
        """`count` values that start at a place are about to be replaced: existing views of them keep the old values."""
        if domain.immutable or not domain.size:
            return
        kept: dict[tuple[int, int], list[Expr]] = {}

        def where(slot: int, first: FixedCells) -> Place:
            key, start = (id(first.cells), first.base), first.base
            old = kept.setdefault(key, first.cells[start : start + count * domain.size])
            return FixedCells(self.path, old, slot * domain.size, first.depth)

        self._change(place, domain, count, where)

    def taken(self, place: Place, domain: Domain, count: int, at: Expr, old: list[Expr]) -> None:
        """The element at an index is about to be removed; those after it move down."""
        pool, size = self.path.pool, domain.size

        def where(slot: int, first: FixedCells) -> Place:
            gone = self._known_truth(pool.eq(at, pool.const(slot)))
            after = self._known_truth(pool.lt(at, pool.const(slot)))
            left = split(after, first.sub(max(slot - 1, 0) * size), first.sub(slot * size))
            return split(gone, FixedCells(self.path, old, 0, first.depth), left)

        self._change(place, domain, count, where)

    def shifted(self, place: Place, domain: Domain, count: int, at: Expr) -> None:
        """An element is about to be inserted at an index; those from there on move up."""
        pool, size = self.path.pool, domain.size

        def where(slot: int, first: FixedCells) -> Place:
            before = self._known_truth(pool.lt(pool.const(slot), at))
            return split(before, first.sub(slot * size), first.sub(min(slot + 1, count - 1) * size))

        self._change(place, domain, count, where)

    def _known_truth(self, term: Expr) -> Expr:
        known = self.path.facts.decided(term)
        return term if known is None else self.path.pool.truth(known)

    def _change(self, place: Place, domain: Domain, count: int, where: Where) -> None:
        """Give the views of `count` elements, or of parts of them, their new places."""
        targets = place.targets()
        for view in self._alive():
            for condition, held in view._place.targets():
                for meant, first in targets:
                    slot, offset = divmod(held.base - first.base, domain.size)
                    if held.cells is first.cells and 0 <= slot < count and _inside(view._domain, offset, domain):
                        both = self._known_truth(self.path.pool.and_((condition, meant)))
                        self.path.note(view, PLACE)
                        view._place = split(both, where(slot, first).sub(offset), view._place)
            self.path.moved(view)

    def _alive(self) -> Iterator[Any]:
        for known in list(self._known):
            view = known()
            if view is not None:
                yield view


def _inside(part: Domain, offset: int, whole: Domain) -> bool:
    """Whether a value at an offset in another one is a part of it (or it itself), and does not contain it."""
    if offset + part.size > whole.size:
        return False
    return part.size < whole.size or _height(part) <= _height(whole)


def _height(domain: Domain) -> int:
    """How deep a domain nests."""
    fields = getattr(domain, "fields", None)
    inner = list(fields.values()) if fields is not None else [domain.element] if hasattr(domain, "element") else []
    return 1 + max(map(_height, inner), default=0)
