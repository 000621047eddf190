"""The settings of a distributed search, and the data that each of its tasks has."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .kernel import Kernel
from .meter import Clock

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHIP = 100_000
"""States in a level from which on levels are distributed: below it a level takes less time here than a job to start."""


@dataclass(frozen=True)
class Plan:
    """How to distribute a search.

    `session` opens the Spark session when the first level is worth it. `partitions` None means one for each core
    of the cluster. `work` is a folder on any Hadoop file system that driver and executors see; None means a temporary
    one, which only executors on this machine can see. `ship` is the number of states in a level from which on levels
    are distributed.
    """

    session: Callable[[], AbstractContextManager[SparkSession]]
    partitions: int | None = None
    work: str | None = None
    resume: bool = False
    ship: int = SHIP


class BroadcastKernel(Protocol):
    """A kernel that Spark has broadcast."""

    @property
    def value(self) -> Kernel: ...


@dataclass(frozen=True)
class Task:
    """The data that every task of a run has.

    `run` names the run. `routes` has for each owner the number that Spark hashes to it. `block` is the number of states
    of a block. `clocks` collect the CPU time of tasks, `told` the counters of each (level, owner): the statistics that
    are also stored, available without a job.
    """

    run: str
    kernel: BroadcastKernel
    routes: tuple[int, ...]
    block: int
    clocks: dict[str, Clock]
    told: Clock

    @property
    def owners(self) -> int:
        """Partitions of the state space."""
        return len(self.routes)


MASK = 0xFFFFFFFF


def routes(owners: int) -> tuple[int, ...]:
    """For each owner the least number that Spark sends to the partition with the owner's number.

    Spark hashes a partitioning column (Murmur3, seed 42) and takes the remainder. Plain owner numbers would collide in
    some partitions and leave others empty.
    """
    found: dict[int, int] = {}
    number = 0
    while len(found) < owners:
        found.setdefault(murmur3(number) % owners, number)
        number += 1
    return tuple(found[owner] for owner in range(owners))


def murmur3(number: int, seed: int = 42) -> int:
    """Murmur3 (32 bits, signed) of one 32-bit integer, as Spark's hash() computes it."""
    k = number * 0xCC9E2D51 & MASK
    k = (k << 15 | k >> 17) & MASK
    h = seed ^ (k * 0x1B873593 & MASK)
    h = ((h << 13 | h >> 19) & MASK) * 5 + 0xE6546B64 & MASK
    h ^= 4
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h
