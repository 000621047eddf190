"""One hundred prisoners and a light bulb, a folklore puzzle: prisoners learn that all of them have been in one room.

They are led there one by one, in any order, and share nothing but a lamp in it. One of them counts; each of the
others lights the lamp once (twice when nobody knows how the lamp was at first), and the counter puts it out again.
"""

from everystate.checker import (
    AnyOf,
    Bool,
    Constant,
    Int,
    Map,
    Set,
    Spec,
    action,
    assumption,
    implies,
    invariant,
    reachable,
)

COUNTER = 0


class Prisoner(Spec):
    """Prisoners who share one lamp find out that everybody has been in the room."""

    prisoners = Constant(3, "prisoners; number 0 is the counter")
    light_unknown = Constant(False, "whether the lamp may be lit at the start")

    @assumption
    def somebody_to_count(self) -> bool:
        """the counter counts the others, so there must be one"""
        return self.prisoners >= 2

    def variables(self) -> None:
        self.others = range(1, self.prisoners)
        self.signals_each = 2 if self.light_unknown else 1
        self.enough = 2 * self.prisoners - 1 if self.light_unknown else self.prisoners

        self.lit = Bool(init=AnyOf() if self.light_unknown else False)
        self.counted = Int(1, self.enough + 1)
        self.announced = Bool()
        self.signals = Map(self.others, Int(0, self.signals_each))
        self.visited = Set(range(self.prisoners))

    @action
    def counter_enters(self) -> None:
        self.visited.add(COUNTER)
        if self.lit:
            self.lit = False
            self.counted += 1
        self.announced = self.counted >= self.enough

    @action(prisoner=lambda self: self.others)
    def other_enters(self, prisoner: int) -> None:
        self.visited.add(prisoner)
        if not self.lit and self.signals[prisoner] < self.signals_each:
            self.lit = True
            self.signals[prisoner] += 1

    @invariant
    def announcement_is_true(self) -> bool:
        """the counter announces only when every prisoner has been in the room"""
        return implies(self.announced, len(self.visited) == self.prisoners)

    @invariant
    def every_signal_is_counted_once(self) -> bool:
        """count and lamp add up to the signals given, with one too many at most if the lamp may have been lit"""
        surplus = self.counted - 1 + self.lit - sum(self.signals[p] for p in self.others)
        return 0 <= surplus <= (1 if self.light_unknown else 0)

    @reachable
    def prisoners_win(self) -> bool:
        """the counter can announce at all"""
        return self.announced
