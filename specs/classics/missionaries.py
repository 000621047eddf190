"""Missionaries and cannibals: cross a river in a small boat and never be outnumbered; a puzzle of the 19th century."""

from itertools import combinations

from everystate.checker import Constant, Enum, Map, Spec, action, invariant, require


class Missionaries(Spec):
    """Bring missionaries and cannibals across a river, safely."""

    missionaries = Constant(3, "missionaries")
    cannibals = Constant(3, "cannibals")
    seats = Constant(2, "people that the boat can carry")

    def variables(self) -> None:
        self.faithful = tuple(f"m{i}" for i in range(1, self.missionaries + 1))
        self.hungry = tuple(f"c{i}" for i in range(1, self.cannibals + 1))
        self.people = self.faithful + self.hungry
        self.crews = tuple(crew for size in range(self.seats) for crew in combinations(self.people, size + 1))

        self.boat = Enum("east", "west")
        self.bank = Map(self.people, Enum("east", "west"))

    @action(crew=lambda self: self.crews)
    def cross(self, crew: tuple[str, ...]) -> None:
        require(all(self.bank[person] == self.boat for person in crew))
        self.boat = "west" if self.boat == "east" else "east"
        for person in crew:
            self.bank[person] = self.boat
        require(self.safe("east") and self.safe("west"))

    def safe(self, bank: str) -> bool:
        """Whether the missionaries on a bank, if there are any, are not outnumbered."""
        missionaries = sum(self.bank[person] == bank for person in self.faithful)
        cannibals = sum(self.bank[person] == bank for person in self.hungry)
        return missionaries == 0 or missionaries >= cannibals

    @invariant
    def somebody_is_left(self) -> bool:
        """somebody is always left on the east bank (the puzzle's solution is the counterexample)"""
        return any(self.bank[person] == "east" for person in self.people)
