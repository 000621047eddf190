"""The clocks of the client and of the brokers, as Kafka's interface Time: the driver moves them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .classes import place


class Clock:
    """A clock in milliseconds that moves only by hand; `java` is what Kafka reads."""

    def __init__(self, now: int) -> None:
        self.now = now
        self.sleeps: Callable[[], None] | None = None
        """Called where Kafka sleeps."""
        self.java = _proxy(self)

    @contextmanager
    def at(self, moment: int) -> Iterator[None]:
        """It is another moment in the body."""
        before, self.now = self.now, moment
        try:
            yield
        finally:
            self.now = before

    def forward(self, milliseconds: int) -> None:
        """Let time pass."""
        self.now += milliseconds


def _proxy(clock: Clock) -> Any:
    import jpype

    class Time:
        def milliseconds(self) -> int:
            return clock.now

        def nanoseconds(self) -> int:
            return clock.now * 1_000_000

        def hiResClockMs(self) -> int:
            return clock.now

        def sleep(self, milliseconds: int) -> None:
            if clock.sleeps is not None:
                clock.sleeps()
            clock.forward(int(milliseconds))

        def waitObject(self, *_: Any) -> None:
            raise AssertionError("nobody waits in a step that is driven")

    handlers = {name: getattr(Time(), name) for name in vars(Time) if not name.startswith("_")}
    return jpype.JProxy(place("Time"), dict=handlers)
