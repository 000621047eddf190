"""Chameneos: creatures meet in pairs, and both change their colour (Kaiser and Pradat-Peyre's game of concurrency).

Who comes to an empty meeting place waits there; the next one meets it. After `meetings` meetings whoever comes fades.
"""

from everystate.checker import AnyOf, Array, Constant, Enum, Int, Option, Spec, action, invariant, reachable, require

COLOURS = ("blue", "red", "yellow")


def complement(one: str, other: str) -> str:
    """The colour of two that have met: their own if it is the same, else the third."""
    if one == other:
        return one
    for colour in COLOURS[:-1]:
        if colour != one and colour != other:
            return colour
    return COLOURS[-1]


class Chameneos(Spec):
    """Creatures change their colour when they meet, and fade when the game is over."""

    creatures = Constant(4, "creatures")
    meetings = Constant(4, "meetings until the game is over")

    may_terminate = True

    def variables(self) -> None:
        self.colour = Array(self.creatures, Enum(*COLOURS, "faded", init=AnyOf(*COLOURS)))
        self.met = Array(self.creatures, Int(0, self.meetings))
        self.waiting = Option(range(self.creatures))
        self.done = Int(0, self.meetings)

    @action(one="creatures")
    def come(self, one: int) -> None:
        require(self.colour[one] != "faded")
        require(self.waiting != one)
        if self.waiting is not None:
            self.meet(one, self.waiting)
        elif self.done < self.meetings:
            self.waiting = one
        else:
            self.colour[one] = "faded"

    def meet(self, one: int, other: int) -> None:
        """Two creatures meet, and the place is empty again."""
        colour = complement(self.colour[one], self.colour[other])
        for creature in (one, other):
            self.colour[creature] = colour
            self.met[creature] += 1
        self.waiting = None
        self.done += 1

    @invariant
    def two_at_a_time(self) -> bool:
        """each meeting is one of two creatures"""
        return sum(self.met) == 2 * self.done

    @reachable
    def everybody_fades(self) -> bool:
        """the game comes to its end"""
        return self.colour == ["faded"] * self.creatures
