"""Verdicts: the outcome of a run, as an enum."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Verdict(enum.StrEnum):
    """What a run proved."""

    PROVED = "PROVED"  # every reachable state within the bounds was visited, every property holds
    REACHED = "REACHED"  # `prove --reach`: a state was found in which the property holds
    BOUNDED = "BOUNDED"  # no violation within a number of steps
    SAMPLED = "SAMPLED"  # no violation on random walks
    VIOLATED = "VIOLATED"  # some property fails, with a trace
    UNDECIDED = "UNDECIDED"  # a limit or an interrupt came first


class ExitCode(enum.IntEnum):
    """Exit codes; those from 10 on have TLC's meaning."""

    SUCCESS = 0
    UNDECIDED = 3
    ASSUMPTION = 10
    DEADLOCK = 11
    SAFETY = 12
    LIVENESS = 13
    ASSERTION = 14
    PROPERTY_EVALUATION = 76
    LOADING = 150
    INTERNAL = 255
    INTERRUPTED = 130


class Kind(enum.StrEnum):
    """What kind of violation was found."""

    INVARIANT = "invariant"
    STEP_INVARIANT = "step invariant"
    REFINEMENT = "refinement"
    DEADLOCK = "deadlock"
    ERROR = "error in an action"
    PROPERTY_ERROR = "error in a property"
    UNREACHED = "never reached"
    TRAPPED = "not always reachable"
    TEMPORAL = "temporal property"

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a run whose gravest violation is of this kind."""
        return {
            Kind.ERROR: ExitCode.ASSERTION,
            Kind.PROPERTY_ERROR: ExitCode.PROPERTY_EVALUATION,
            Kind.DEADLOCK: ExitCode.DEADLOCK,
            Kind.TEMPORAL: ExitCode.LIVENESS,
        }.get(self, ExitCode.SAFETY)


GRAVITY = (
    Kind.ERROR,
    Kind.PROPERTY_ERROR,
    Kind.INVARIANT,
    Kind.STEP_INVARIANT,
    Kind.REFINEMENT,
    Kind.DEADLOCK,
    Kind.TRAPPED,
    Kind.TEMPORAL,
    Kind.UNREACHED,
)


@dataclass(frozen=True)
class ActionCoverage:
    """The steps of an action: states in which it was enabled, steps taken, states first reached by it.

    A state that several actions reach first in the same level counts for the one that is written first. Random walks
    have no levels: there `new` is None.
    """

    enabled: int
    taken: int
    new: int | None = None


@dataclass(frozen=True)
class SampleCoverage:
    """How well walks have covered a state space.

    `error` is the relative standard error of the number of distinct states, 0 where they were counted. `new` is an
    estimate of the share of states on a further walk that no walk has visited yet (see engines/sampling/sketch).
    """

    error: float
    new: float
