"""The checks of an assessment: made in processes, and kept by the content of the model."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ...checker.cache import entry, store, stored
from ...checker.cli.options import processors
from ...checker.cli.sweeps import ProgressLine, load
from ...checker.cli.targets import resolve
from ...checker.regression.runners.pool import Pool

if TYPE_CHECKING:
    from ...checker.regression.runners.job import Load
    from ...checker.regression.runners.outcome import Outcome
    from ..assess import Check
    from ..assess.assessment import Result, Results

SECONDS = 120
"""What a check may take."""


class Checks:
    """Makes checks; within `with`, so that the processes stay for the checks of repairs."""

    def __init__(self, workers: int | None, quiet: bool, load: Load = load) -> None:
        self.pool, self.quiet = Pool(load, workers or processors()), quiet

    def __enter__(self) -> Self:
        self.pool.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.__exit__()

    def __call__(self, wanted: dict[str, Check]) -> Results:
        """The results by the command of their check; the largest models first, so that none is waited for alone."""
        from ...checker.regression.runners.job import Allowance, Job
        from ...checker.regression.runners.runner import make

        places = {command: _place(check) for command, check in wanted.items()}
        known = {command: found for command, place in places.items() if (found := _recalled(place)) is not None}
        missing = sorted(wanted.keys() - known.keys(), key=lambda command: (-_size(wanted[command]), command))
        if not missing:
            return known
        checks = [wanted[command] for command in missing]
        jobs = [
            Job(f"check {n}", c.target, c.constants, Allowance(SECONDS), forms=("text",))
            for n, c in enumerate(checks, 1)
        ]
        teller = ProgressLine(len(jobs), self.quiet)
        try:
            outcomes = make(self.pool, jobs, teller)
        finally:
            teller.finish()
        for command, outcome in zip(missing, outcomes, strict=True):
            known[command] = _result(outcome)
            _keep(places[command], known[command])
        return known


def _size(check: Check) -> int:
    return int(check.constants.get("batches", 0))


def _place(check: Check) -> Path | None:
    """Where its result is kept: found by the sources of the model and of the checker, before anything is traced."""
    from ...checker.api.fingerprint import engine
    from ...checker.language.content import place_of

    content = place_of(resolve(check.target).spec(check.constants))
    if content is None:
        return None
    return entry("assessed", engine(), content.name)


def _recalled(place: Path | None) -> Result | None:
    from ..assess.assessment import Result

    content = None if place is None else stored(place)
    return None if content is None else Result(**json.loads(content))


def _keep(place: Path | None, result: Result) -> None:
    if place is not None and not result.undecided:
        store(place, json.dumps(asdict(result)).encode())


def _result(outcome: Outcome) -> Result:
    """What an assessment needs of an outcome."""
    from ..assess.assessment import Result

    if outcome.report["exit_code"] == 130:
        raise KeyboardInterrupt
    violated = {violation["property"]: violation["length"] for violation in outcome.report["violations"]}
    return Result(
        violated,
        {name: trace.text for name, trace in outcome.traces.items()},
        outcome.error or outcome.stopped or ("an action of the model failed" if "error" in violated else ""),
        bool(outcome.limits),
        outcome.unjudged,
    )
