"""A clock that shows the hour: the first specification of Lamport's book "Specifying Systems" (2002)."""

from typing import Self

from everystate.checker import AnyOf, Int, Spec, action, step_invariant


class HourClock(Spec):
    """A twelve-hour clock that shows only the hour."""

    def variables(self) -> None:
        self.hour = Int(1, 12, init=AnyOf())  # it may show any hour when we start to look

    @action
    def tick(self) -> None:
        if self.hour < 12:
            self.hour += 1
        else:
            self.hour = 1

    @step_invariant
    def one_hour_at_a_time(self, before: Self) -> bool:
        """every step takes the clock forward by exactly one hour"""
        return (self.hour - before.hour) % 12 == 1
