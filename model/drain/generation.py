"""The generations of the drain as data: where the index stands, and what a partition that must wait ends."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Generation:
    """What the drain of one generation does where the generations differ."""

    name: str
    versions: str
    shared_index: bool  # P2.1: one index for all nodes; else one for each
    index_goes_on: bool  # P2.2: the index is that of the next partition; else of the one that is looked at
    stop_ends_the_loop: bool = True  # P1.7; False is no Kafka, but what would help
    late_error_bumps: bool = False  # P5.4: an error that comes for a batch that has expired asks for a bump (up to 3.5)


SHARED = Generation("3.2", "2.7.1 to 3.2", shared_index=True, index_goes_on=True, late_error_bumps=True)
PER_NODE = Generation("3.3", "3.6 and later", shared_index=False, index_goes_on=False)
LATE = replace(PER_NODE, name="3.5", versions="3.3 to 3.5", late_error_bumps=True)
SKIPPING = replace(PER_NODE, name="skipping", versions="none: a proposal", stop_ends_the_loop=False)
GOING_ON = replace(PER_NODE, name="going-on", versions="none: what 3.3 would be with P2.2 of 3.2", index_goes_on=True)

GENERATIONS: dict[str, Generation] = {g.name: g for g in (SHARED, PER_NODE, LATE, SKIPPING, GOING_ON)}
