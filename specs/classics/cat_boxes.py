"""The moving cat: every night a cat in a row of boxes moves to the next box, every morning one box is opened.

A folklore puzzle. The search walks from box 2 to the last box but one and back, and looks twice where it turns.
"""

from typing import Self

from everystate.checker import (
    AnyOf,
    Constant,
    Enum,
    Int,
    Spec,
    action,
    assumption,
    implies,
    reachable,
    require,
    step_invariant,
)


class CatBoxes(Spec):
    """Find a cat that moves to a neighbouring box every night."""

    boxes = Constant(5, "boxes in the row, numbered from 1")

    @assumption
    def has_inner_box(self) -> bool:
        """the search walks over the boxes that are not at an end, so there must be one"""
        return self.boxes >= 3

    def variables(self) -> None:
        self.cat = Int(1, self.boxes, init=AnyOf())
        self.opened = Int(2, self.boxes - 1, init=AnyOf())
        self.direction = Enum("left", "right", init=AnyOf())

    @action(move=(-1, 1))
    def next_day(self, move: int) -> None:
        require(1 <= self.cat + move <= self.boxes)
        self.cat += move
        self.open_next_box()

    def open_next_box(self) -> None:
        following = self.opened + 1 if self.direction == "right" else self.opened - 1
        if 2 <= following <= self.boxes - 1:
            self.opened = following
        else:
            self.direction = "left" if self.direction == "right" else "right"

    @step_invariant
    def cat_cannot_slip_past(self, before: Self) -> bool:
        """as long as the search does not turn, a cat at an even distance stays so, on its side, or is found"""
        walks_on = self.direction == before.direction
        distance, distance_before = self.cat - self.opened, before.cat - before.opened
        same_side = distance * distance_before >= 0
        return implies(walks_on and distance_before % 2 == 0, distance % 2 == 0 and same_side)

    @reachable
    def cat_found(self) -> bool:
        """the opened box holds the cat"""
        return self.cat == self.opened
