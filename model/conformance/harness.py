"""Compares targets with releases, for a matrix, a test suite or the command line, and makes their reports.

A release is a process with a JVM, so all targets of one are driven in the same process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...checker.errors import EverystateError
from ...checker.extras import require
from ...checker.language.conformance import AGREED, DIFFERENT, NOT_JUDGED, NOTHING, Answer, ConformanceTools, Question
from ...checker.language.spec import Spec
from .behaviour import Behaviour, of_violations
from .bridges import COORDINATOR, Bridge, bridges_of
from .difference_text import summary, text, title
from .drivable import resets
from .jars import choose, provide
from .jobs import Job, Plan, work_all
from .process import run
from .report import Report
from .versions import PINNED, Kafka, order
from .walks import WalkShape

MISSING = ("E510", "E520", "E521", "E702", "E703")
"""Errors for what a machine lacks: JPype, a Java, a tool to fetch with, something to fetch from."""

RELEASES = dict(sorted({**COORDINATOR.releases, **PINNED}.items(), key=lambda each: order(each[0])))
"""All that are pinned, oldest first: clients, coordinators, or both."""
NEWEST = "newest"
"""The newest release that is pinned, by a name that stays."""


@dataclass(frozen=True)
class Subject:
    """A target to be driven.

    `make` gives its spec for the constants that the user has `given`; `load` finds it by `place`. `behaviours` finds
    the traces to drive for a spec, and why there are none or not all. `beside` selects one part of Kafka, by the name
    of its bridge; without it every part is driven that can be. One `of_many` environments is left out where it cannot
    be driven; any other target leaves the release unjudged then.
    """

    name: str
    place: str
    make: Callable[[dict[str, Any]], Spec]
    behaviours: Callable[[Any], tuple[list[Behaviour], str]]
    given: dict[str, Any] = field(default_factory=dict)
    walks: range = range(0)
    beside: str = ""
    of_many: bool = False


class Planner:
    """Makes the plans of subjects for one release after the other; search results are reused."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self.subjects = subjects
        self._found: dict[tuple[str, str], tuple[list[Behaviour], str]] = {}

    def plans(self, kafka: Kafka) -> tuple[list[Plan], Report]:
        """The plans for a release, and a report of what was adapted and what cannot be driven."""
        report, plans = Report(kafka.version), list[Plan]()
        for subject in self.subjects:
            spec = subject.make(subject.given)
            found = [bridge for bridge in bridges_of(spec) if subject.beside in ("", bridge.name)]
            if not found:
                statement = f"{type(spec).__name__} is not the Kafka model"
                statement = (
                    f"nothing of it is driven beside Kafka's {subject.beside}" if bridges_of(spec) else statement
                )
                report.obstacles[subject.name] = [statement]
                continue
            reasons = [self._plan(subject, bridge, kafka, report, plans) for bridge in found]
            if any(reasons):
                where = report.obstacles if all(reasons) and not subject.of_many else report.undriven
                where[subject.name] = list(dict.fromkeys(reason for each in reasons for reason in each))
        return plans, report

    def _plan(self, subject: Subject, bridge: Bridge, kafka: Kafka, report: Report, plans: list[Plan]) -> list[str]:
        """The plan of a subject beside a part of Kafka; the reasons where that cannot be driven."""
        spec, generation = bridge.fitting(subject.make, subject.given, kafka)
        if (
            generation and not subject.walks and resets(spec)
        ):  # its own scenarios have counterexamples of such a producer
            spec, generation = subject.make(subject.given), ""
        reasons, part = list(bridge.obstacles(spec, kafka, subject.given)), bridge.parts(kafka)
        if reasons:
            alone = len(bridges_of(spec)) == 1
            return reasons if alone else [f"beside {part.name}: {reason}" for reason in reasons]
        if generation:
            report.generation = generation
            report.fitted = list(dict.fromkeys((*report.fitted, subject.name)))
        require("everystate conform", "jpype")
        behaviours, why = self._behaviours(subject, spec)
        if behaviours and why:
            report.cut[subject.name] = why
        if behaviours or subject.walks:
            behaved = tuple(behaviours)
            plans.append(
                Plan(subject.name, subject.place, spec.constants, behaved, subject.walks, bridge.name, part.name)
            )
            report.parts.setdefault(part, []).append(subject.name)
        else:
            report.idle[subject.name] = f"{why} with generation={generation}" if generation else why
        return []

    def _behaviours(self, subject: Subject, spec: Spec) -> tuple[list[Behaviour], str]:
        key = subject.name, str(spec.constants["generation"])
        if key not in self._found:
            self._found[key] = subject.behaviours(spec)
        return self._found[key]


class Kafkas:
    """Kafka's own classes, as the real system for comparisons."""

    def releases(self, wanted: Sequence[str]) -> list[str]:
        """The releases of some names, the newest one where none is given."""
        return [choose(None if name == NEWEST else name, pinned=RELEASES).version for name in wanted or [NEWEST]]

    def answers(self, release: str, questions: Sequence[Question], means: ConformanceTools) -> list[Answer]:
        """The answer to each question."""
        kafka, asked = choose(release, pinned=RELEASES), []
        try:
            for question in questions:
                plans, report = Planner([_subject(question, means)]).plans(kafka)
                course = WalkShape(question.steps, question.seed, question.faults)
                asked.append((Job(kafka.version, tuple(plans), means.load, course), report))
            driven = iter(_driven(kafka, [job for job, _ in asked if job.plans], means))
        except EverystateError as error:
            if error.code not in MISSING:
                raise
            statement = f"{error.what}: {error.remedy}"
            return [Answer(f"Kafka {release}", NOT_JUDGED, statement, missing=True) for _ in questions]
        reports = [whole(next(driven), report) if job.plans else report for job, report in asked]
        if any(report.interrupted for report in reports):
            raise KeyboardInterrupt
        return [_answer(report) for report in reports]


KAFKA = Kafkas()


def _driven(kafka: Kafka, jobs: Sequence[Job], means: ConformanceTools) -> list[Report]:
    if not jobs:
        return []
    kafka, paths = classes_of(kafka, [plan for job in jobs for plan in job.plans], notify=means.notify)
    found: list[Report] = run(kafka, paths, work_all, jobs)
    return found


def classes_of(
    kafka: Kafka, plans: Sequence[Plan], folder: Path | None = None, notify: Callable[[str], None] = lambda _: None
) -> tuple[Kafka, list[Path]]:
    """A release with the class path that plans need: a coordinator needs that of a broker, which has the client."""
    whole = any(plan.beside == COORDINATOR.name for plan in plans) or kafka.version not in PINNED
    return provide(kafka.version, folder, notify, dict(COORDINATOR.releases) if whole else PINNED)


def hold(kafka: Kafka, paths: Sequence[Path], job: Job, report: Report, hear: Callable[[Any], None]) -> Report:
    """Drive a job; the report has what was found out before."""
    [found] = run(kafka, paths, work_all, [job], hear=hear)
    return whole(found, report)


def whole(driven: Report, before: Report) -> Report:
    """The report of the traces that were driven, with the earlier results."""
    obstacles = {**before.obstacles, **driven.obstacles}
    known = {name: getattr(before, name) for name in ("generation", "fitted", "idle", "cut", "parts", "undriven")}
    return replace(driven, obstacles=obstacles, **known)


def _subject(question: Question, means: ConformanceTools) -> Subject:
    return Subject(
        question.name,
        question.target,
        lambda given: means.load(question.target, given),
        lambda spec: of_violations(spec, means.violations(spec)),
        question.constants,
        range(question.walks),
    )


def _answer(report: Report) -> Answer:
    """A report of one target as an answer."""
    *_, statement = summary(report)
    against, reasons = f"Kafka {report.version}", "; ".join(r for found in report.obstacles.values() for r in found)
    idle = "; ".join(report.idle.values())
    if report.found:
        found = report.found[0]
        return Answer(against, DIFFERENT, title(found), text(found, report.version), len(found.turns))
    if report.idle:
        return Answer(against, NOTHING, idle)
    if report.obstacles:
        return Answer(against, NOT_JUDGED, reasons)
    return Answer(against, AGREED, statement)
