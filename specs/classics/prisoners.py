"""The prisoners' two switches, a puzzle from the radio show Car Talk: whoever enters must flip exactly one of them.

Switch A carries the message, switch B is for idle flips. The counter lowers A and counts; the others raise it twice.
"""

from everystate.checker import AnyOf, Bool, Constant, Int, Map, Spec, action, assumption, implies, invariant, reachable


class Prisoners(Spec):
    """Prisoners who share two switches find out that everybody has been in the room."""

    prisoners = Constant(4, "prisoners, the counter included")

    @assumption
    def somebody_to_count(self) -> bool:
        """the counter counts the others, so there must be one"""
        return self.prisoners >= 2

    def variables(self) -> None:
        self.others = range(1, self.prisoners)
        self.a_up = Bool(init=AnyOf())
        self.b_up = Bool(init=AnyOf())
        self.raised = Map(self.others, Int(0, 2))  # how often each of the others has moved A up
        self.lowered = Int(0, 2 * self.prisoners - 1)  # how often the counter has moved A down

    @action
    def counter_enters(self) -> None:
        if self.a_up:
            self.a_up = False
            self.lowered += 1
        else:
            self.b_up = not self.b_up

    @action(prisoner=lambda self: self.others)
    def other_enters(self, prisoner: int) -> None:
        if not self.a_up and self.raised[prisoner] < 2:
            self.a_up = True
            self.raised[prisoner] += 1
        else:
            self.b_up = not self.b_up

    def sure(self) -> bool:
        """Whether the counter declares that all have been in the room."""
        return self.lowered == 2 * (self.prisoners - 1)

    @invariant
    def declaration_is_true(self) -> bool:
        """when the counter is sure, each of the others has been in the room"""
        return implies(self.sure(), all(self.raised[prisoner] > 0 for prisoner in self.others))

    @invariant
    def every_raise_is_lowered_once(self) -> bool:
        """moves of A up and down balance, with one too many at most if it was up at the start"""
        surplus = self.lowered + self.a_up - sum(self.raised[prisoner] for prisoner in self.others)
        return 0 <= surplus <= 1

    @reachable
    def prisoners_win(self) -> bool:
        """the counter can become sure"""
        return self.sure()
