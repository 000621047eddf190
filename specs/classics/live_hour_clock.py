"""The hour clock with liveness, from the same book: it goes on for ever, and comes round to every hour."""

from typing import Self

from everystate.checker import action, fair, infinitely_often
from everystate.specs.classics.hour_clock import HourClock


class LiveHourClock(HourClock):
    """A twelve-hour clock that never stops."""

    @fair
    @action
    def tick(self) -> None:
        super().tick()

    @infinitely_often
    def always_ticks(self, before: Self) -> bool:
        """there is no last tick"""
        return self.hour == (1 if before.hour == 12 else before.hour + 1)

    @infinitely_often(hour=range(1, 13))
    def comes_round(self, hour: int) -> bool:
        """every hour is shown again and again"""
        return self.hour == hour
