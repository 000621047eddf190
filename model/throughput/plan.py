"""What is measured and predicted: the clients, the requests in flight, and the round trips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .timed import PLAIN, PROPOSED, SMALLEST, TODAY

REAL, NOT_IDEMPOTENT, RAW = "producer", "not idempotent", "raw"
GENERATIONS = {REAL: TODAY, NOT_IDEMPOTENT: PLAIN, RAW: PROPOSED}
"""The clients, and the protocol version of the model for each."""


@dataclass(frozen=True)
class Case:
    """One client with a maximum number of requests in flight; `trip` is the round trip in milliseconds."""

    client: str
    in_flight: int
    trip: int


@dataclass(frozen=True)
class Plan:
    """All cases; `rounds` is how often a full window is sent in a run, `size` the bytes of a batch.

    `window` is the number of batches that a broker remembers where more than five are in flight; 0: as many as are in
    flight. `still` is the minimum number of batches of a run without a round trip, as it is over soon.
    """

    trips: tuple[int, ...] = (0, 10, 100, 150)
    in_flight: tuple[int, ...] = (1, 5, 10, 20)
    rounds: int = 5
    repeats: int = 5
    size: int = 16384
    window: int = 0
    still: int = 60

    def cases(self) -> Iterator[Case]:
        """Without a round trip first: these give the pace of a broker."""
        for trip in sorted({0, *self.trips}):
            for client in GENERATIONS:
                yield from (Case(client, most, trip) for most in self.of(client))

    def of(self, client: str) -> list[int]:
        """How many a client may have in flight; KafkaProducer refuses more than five where it is idempotent."""
        return [most for most in sorted({1, *self.in_flight}) if client != REAL or most <= SMALLEST]

    def batches(self, case: Case) -> int:
        """How many one run of a case writes."""
        return self.rounds * case.in_flight if case.trip else max(self.rounds * case.in_flight, self.still)

    def remembered(self, in_flight: int) -> int:
        """The window of a case: KIP-1269 knows none below five (K1)."""
        return max(SMALLEST, self.window or in_flight)
