"""Conway's Game of Life (Gardner 1970) on a small square, from every beginning; the world ends at its edges.

A place is a pair, and the square a Map whose keys are these pairs.
"""

import itertools
from typing import Self

from everystate.checker import AnyOf, Bool, Constant, Map, Spec, action, implies, step_invariant


class GameOfLife(Spec):
    """Cells live on, die or are born, all at the same time."""

    size = Constant(4, "cells along an edge")

    def variables(self) -> None:
        self.places = tuple(itertools.product(range(self.size), range(self.size)))
        self.alive = Map(self.places, Bool(), init=AnyOf())

    def neighbours(self, place: tuple[int, int]) -> list[tuple[int, int]]:
        x, y = place
        around = itertools.product((x - 1, x, x + 1), (y - 1, y, y + 1))
        return [other for other in around if other != place and other in self.places]

    @action
    def tick(self) -> None:
        living = {place: sum(self.alive[n] for n in self.neighbours(place)) for place in self.places}
        after = {place: living[place] == 3 or (living[place] == 2 and self.alive[place] == 1) for place in self.places}
        for place in self.places:
            self.alive[place] = after[place]

    @step_invariant
    def nothing_comes_from_nothing(self, before: Self) -> bool:
        """where nobody lives nobody is born"""
        return implies(not any(before.alive.values()), not any(self.alive.values()))
