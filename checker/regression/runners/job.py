"""Job: one check as data that can be sent to another process, and its execution there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...api.cache import kept
from ...api.engines import search
from ...api.in_any_case import in_any_case
from ...engines.limits import LEAST_SECONDS, Deadline, Limits
from ...engines.observer import Silent
from ...errors import EverystateError
from ...ir.traced import Model
from ...language.spec import Spec
from ...results.result import Result
from .outcome import FORMS, Outcome, outcome_of, refused

Load = Callable[[str, dict[str, Any]], Spec]
"""From a target and constants to a spec; a function of a module, so that it can be pickled."""


@dataclass(frozen=True)
class Allowance:
    """The limits of a check: seconds from tracing on, bytes of the state store, states, threads."""

    seconds: float | None = None
    memory: int | None = None
    states: int | None = None
    threads: int = 1
    deadlock: bool = True
    cross_check_seconds: float = LEAST_SECONDS
    """Seconds that its cross-check may always take; variants of one run share them."""

    @property
    def limits(self) -> Limits:
        """The same as limits of a search; its time begins now."""
        deadline = None if self.seconds is None else Deadline(self.seconds)
        return Limits(
            self.threads,
            self.states,
            self.memory,
            self.deadlock,
            cross_check_seconds=self.cross_check_seconds,
            deadline=deadline,
        )


@dataclass(frozen=True)
class Job:
    """One check; `forms` are those in which its traces are wanted."""

    name: str
    target: str
    constants: dict[str, Any] = field(default_factory=dict)
    allowance: Allowance = field(default_factory=Allowance)
    cache: bool = True
    forms: tuple[str, ...] = FORMS


def run(job: Job, load: Load) -> Outcome:
    """Make a check, or use its cached result; failures to make it are part of the outcome."""
    try:
        spec = load(job.target, job.constants)
        result, cached, remark = result_of(spec, job)
        found = outcome_of(result, spec, cached, job.forms)
        return found.noting(remark) if remark else found
    except EverystateError as error:
        return refused(error, job.target, job.constants)
    except MemoryError:
        return refused(EverystateError("E502", None, size="more memory"), job.target, job.constants)


def result_of(spec: Spec, job: Job) -> tuple[Result, bool, str]:
    """(the result, whether it was cached, a remark about the cache)."""
    limits = job.allowance.limits

    def native(model: Model) -> tuple[Result, bool, str]:
        def make() -> Result:
            return search(spec, limits=limits, name=job.target, model=model)

        return kept(model, limits, job.target, make) if job.cache else (make(), False, "")

    def plain(found: Result) -> tuple[Result, bool, str]:
        return found, False, ""

    return in_any_case(spec, limits, Silent(), native, plain, job.target)[0]
