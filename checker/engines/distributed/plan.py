"""What a distributed search is told, and what every task of it knows."""

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

    `session` opens the Spark session when the first level is worth it. `partitions` None means two for each core
    of the cluster. `work` is a folder on any Hadoop file system that driver and executors see; None means a temporary
    one, which only executors on this machine can see. `ship` is the number of states in a level from which on levels
    are distributed.
    """

    session: Callable[[], AbstractContextManager[SparkSession]]
    partitions: int | None = None
    work: str | None = None
    resume: bool = False
    ship: int = SHIP


class Shipped(Protocol):
    """A kernel that Spark has broadcast."""

    @property
    def value(self) -> Kernel: ...


@dataclass(frozen=True)
class Task:
    """What every task of a run knows.

    `run` names the run, `routes` has for each owner what Spark hashes to it, `block` is the number of states of a
    block; `clocks` are told what tasks spend, and `told` what each (level, owner) has counted: the same rows of
    statistics that are stored, without a job to read them.
    """

    run: str
    kernel: Shipped
    routes: tuple[int, ...]
    block: int
    clocks: dict[str, Clock]
    told: Clock

    @property
    def owners(self) -> int:
        """Partitions of the state space."""
        return len(self.routes)
