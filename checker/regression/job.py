"""Job: one check as data that can travel to another process, and how it is made there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..engines.exhaustive import Exhaustive, Limits
from ..engines.observer import Progress, Silent
from ..errors import EverystateError
from ..ir.model import Model, build
from ..language.spec import Spec
from ..results.result import Result
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


@dataclass(frozen=True)
class Job:
    """One check."""

    name: str
    target: str
    constants: dict[str, Any] = field(default_factory=dict)
    allowance: Allowance = field(default_factory=Allowance)
    cache: bool = True


class Clock(Silent):
    """Ends a search at its time limit, with a report of what was covered."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds, self.started = seconds, time.monotonic()
        self.search: Exhaustive | None = None

    def progress(self, progress: Progress) -> None:
        late = self.seconds is not None and time.monotonic() - self.started > self.seconds
        if late and self.search is not None and not self.search.stop.is_set():
            self.search.stopped = self.search.stopped or f"the time limit of {self.seconds:g} s is reached"
            self.search.stop.set()

    level = progress


def run(job: Job, load: Load) -> Outcome:
    """Make a check; whatever keeps it from being made is part of the outcome."""
    clock = Clock(job.allowance.seconds)
    try:
        return check(load(job.target, job.constants), job.target, job.allowance, clock, job.cache)
    except EverystateError as error:
        return refused(error, job.target, job.constants)
    except MemoryError:
        return refused(EverystateError("E502", None, size="more memory"), job.target, job.constants)


def check(spec: Spec, target: str, allowance: Allowance, clock: Clock, cache: bool) -> Outcome:
    """Check a spec, or recall its result."""
    result, cached, remark = result_of(spec, target, allowance, clock, cache)
    found = outcome_of(result, cached)
    return found.noting(remark) if remark else found


def result_of(spec: Spec, target: str, allowance: Allowance, clock: Clock, cache: bool) -> tuple[Result, bool, str]:
    """(the result, whether it was recalled, a remark about the cache)."""
    model, remark = build(spec), ""
    key = fingerprint(model, allowance.deadlock) if cache else ""
    if key:
        known, remark = recall(key, model, target)
        if known is not None:
            return known, True, remark
    result = _search(model, target, allowance, clock)
    if key:
        keep(key, result)
    return result, False, remark


def _search(model: Model, target: str, allowance: Allowance, clock: Clock) -> Result:
    limits = Limits(allowance.threads, allowance.states, allowance.memory, allowance.deadlock)
    search = Exhaustive(model, limits, clock, target)
    clock.search = search
    return search.run()
