"""Job: one check as data that can travel to another process, and how it is made there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...engines.explicit.exhaustive import Exhaustive
from ...engines.limits import LEAST, Limits
from ...engines.observer import Progress, Silent
from ...engines.symmetry import reduced
from ...errors import EverystateError
from ...ir.model import Model, build
from ...language.spec import Spec
from ...results.result import Result
from .cache import keep, recall
from .fingerprint import fingerprint
from .outcome import Outcome, outcome_of, refused

Load = Callable[[str, dict[str, Any]], Spec]
"""From a target and constants to a spec; a function of a module, so that it can travel."""


@dataclass(frozen=True)
class Allowance:
    """What a check may take: seconds from tracing on, bytes of the state store, states, threads."""

    seconds: float | None = None
    memory: int | None = None
    states: int | None = None
    threads: int = 1
    deadlock: bool = True
    twice: int = LEAST
    """States that are executed twice, at the least; variants of one run share an amount."""


@dataclass(frozen=True)
class Job:
    """One check."""

    name: str
    target: str
    constants: dict[str, Any] = field(default_factory=dict)
    allowance: Allowance = field(default_factory=Allowance)
    cache: bool = True


class Clock(Silent):
    """Ends a search at its time limit, with a report of what was covered: calls `halt` with the reason."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds, self.started = seconds, time.monotonic()
        self.over = False
        self.halt: Callable[[str], None] = lambda reason: None

    def progress(self, progress: Progress) -> None:
        if self.seconds is not None and time.monotonic() - self.started > self.seconds:
            self.over = True
            self.halt(f"the time limit of {self.seconds:g} s is reached")

    level = progress


def native(model: Model, target: str, allowance: Allowance, clock: Clock) -> Result:
    """The search on machine code, in this process."""
    limits = Limits(allowance.threads, allowance.states, allowance.memory, allowance.deadlock, twice=allowance.twice)
    search = Exhaustive(reduced(model), limits, clock, target)

    def halt(reason: str) -> None:
        if not search.stop.is_set():
            search.stopped = search.stopped or reason
            search.stop.set()

    clock.halt = halt
    return search.run()


Search = Callable[[Model, str, Allowance, Clock], Result]
"""What makes a check: of a model, called by a name, within an allowance, watched by a clock."""


def run(job: Job, load: Load, search: Search = native) -> Outcome:
    """Make a check, or recall its result; whatever keeps it from being made is part of the outcome."""
    try:
        spec = load(job.target, job.constants)
        result, cached, remark = result_of(spec, job, search)
        found = outcome_of(result, spec, cached)
        return found.noting(remark) if remark else found
    except EverystateError as error:
        return refused(error, job.target, job.constants)
    except MemoryError:
        return refused(EverystateError("E502", None, size="more memory"), job.target, job.constants)


def result_of(spec: Spec, job: Job, search: Search = native) -> tuple[Result, bool, str]:
    """(the result, whether it was recalled, a remark about the cache)."""
    clock = Clock(job.allowance.seconds)
    model, remark = build(spec), ""
    key = fingerprint(model, job.allowance.deadlock) if job.cache else ""
    if key:
        known, remark = recall(key, model, job.target)
        if known is not None:
            return known, True, remark
    result = search(model, job.target, job.allowance, clock)
    if key:
        keep(key, result)
    return result, False, remark
