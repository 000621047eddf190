"""Jobs of the process of one release: drive traces and walks, and report on them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from ...checker.language.spec import Spec
from .aim import Aim
from .behaviour import Behaviour
from .bridges import Bridge, bridge_of
from .compare import SideBySide
from .cover import COVER
from .driver import NotJudged
from .known_differences import known
from .process import Line
from .report import Agreed, FoundDifference, Report
from .shrink import shrink
from .walks import Walker, WalkShape

WALK, NUMBERS = "walk ", re.compile(r"\d+")
SIDE_BY_SIDE = 3
"""The number of counterexamples with reported steps; others are reported by name."""
TOLD = 0.2
"""Seconds between two messages of progress."""


@dataclass(frozen=True)
class Plan:
    """What is to be driven of one target: its spec, as `load` finds it, traces, and numbers of walks.

    `beside` is the part of Kafka, by the name of its bridge, `part` its name in a report.
    """

    target: str
    place: str
    constants: dict[str, Any]
    behaviours: tuple[Behaviour, ...] = ()
    walks: range = range(0)
    beside: str = "producers"
    part: str = "Kafka"


@dataclass(frozen=True)
class Job:
    """All that one release is compared with; the search ends at so many kinds of unknown differences."""

    version: str
    plans: tuple[Plan, ...]
    load: Callable[[str, dict[str, Any]], Spec]
    course: WalkShape = field(default_factory=WalkShape)
    shrinks: bool = True
    most: int = 5


@dataclass(frozen=True)
class Progress:
    """How far a job is."""

    done: int
    total: int
    steps: int
    differing: int


def work(line: Line, job: Job) -> Report:
    """Do a job; after a stop, returns the results so far."""
    return _Worker(line, job).work()


def work_all(line: Line, jobs: Sequence[Job]) -> list[Report]:
    """Several jobs in one process, each with a report of its own."""
    return [work(line, job) for job in jobs]


@dataclass(frozen=True)
class DrivenSpec:
    """A spec, and how it is driven."""

    spec: Spec
    bridge: Bridge

    def shrunk(
        self, sides: SideBySide, stopped: Callable[[], bool], alike: Callable[[SideBySide], object]
    ) -> SideBySide:
        """The difference of a trace, shrunk."""
        return shrink(self.spec, sides, stopped, self.bridge.sides, self.bridge.batches(self.spec), alike)


class _Worker:
    def __init__(self, line: Line, job: Job) -> None:
        self.line, self.job, self.report = line, job, Report(job.version)
        self.total = sum(len(plan.behaviours) + len(plan.walks) for plan in job.plans)
        self.told = 0.0
        self.kinds: dict[tuple[str, ...], FoundDifference] = {}
        self.aims: dict[str, Aim] = {}
        self.countable: dict[str, None] = {}

    def work(self) -> Report:
        started = time.perf_counter()
        for plan in self.job.plans:
            self.report.targets = list(dict.fromkeys((*self.report.targets, plan.target)))
            spec = self.job.load(plan.place, plan.constants)
            bridge = bridge_of(spec, plan.beside)
            if plan.walks:
                self.countable.update(dict.fromkeys(bridge.counted(self.job.version)))
            spec = bridge.walked(spec)
            for name, drive in drives(plan, Walker(spec, self.job.course, self._aim(bridge))):
                if self.line.stopped or self._has_enough():
                    self.report.interrupted = self.line.stopped
                    break
                self._one(plan, DrivenSpec(spec, bridge), name, drive)
        self.report.unmet = [rule for rule in self.countable if rule not in self.report.rules]
        self.report.seconds = time.perf_counter() - started
        return self.report

    def _aim(self, bridge: Bridge) -> Aim | None:
        """What all walks beside one part of Kafka aim at together."""
        least = self.job.course.aim
        return self.aims.setdefault(bridge.name, Aim(bridge.exercised, least)) if least else None

    def _has_enough(self) -> bool:
        return sum(not found.known for found in self.report.found) >= self.job.most

    def _one(self, plan: Plan, driven: DrivenSpec, name: str, drive: Callable[[SideBySide], None]) -> None:
        sides = driven.bridge.sides(driven.spec)
        try:
            drive(sides)
            sides.probe()
        except NotJudged as reason:
            self.report.obstacles.setdefault(plan.target, []).append(f"{name}, with {plan.part}: {reason}")
            return
        finally:
            sides.close()
        rules = list(driven.bridge.rules(sides))
        self._account(name, sides, rules)
        if sides.difference is not None:
            self._differs(plan, driven, name, sides)
        elif not name.startswith((WALK, COVER)):
            line = f"{plan.target}: {name}, with {plan.part}"
            self.report.shown.append(line)
            if len(self.report.agreed) < SIDE_BY_SIDE:
                self.report.agreed[line] = Agreed(sides.seen, rules)

    def _differs(self, plan: Plan, driven: DrivenSpec, name: str, sides: SideBySide) -> None:
        """The first difference of its kind is shrunk and reported, others are counted."""
        self.report.differing += 1
        assert sides.difference is not None
        told = known(self.job.version, sides)
        observable = NUMBERS.sub("", sides.difference.sort)
        kind = (told,) if told else (plan.beside, sides.turns[-1].action if sides.turns else "", observable)
        if kind in self.kinds:
            self.kinds[kind].times += 1
            return
        best = driven.shrunk(sides, lambda: self.line.stopped, self._alike) if self.job.shrinks else sides
        assert best.difference is not None
        turns = [str(turn) for turn in best.turns]
        self.kinds[kind] = FoundDifference(
            plan.target, name, turns, best.seen, best.difference, len(sides.turns), known=told, part=plan.part
        )
        self.report.found.append(self.kinds[kind])

    def _alike(self, sides: SideBySide) -> str:
        """What a shorter trace must have in common: the known difference, or the unknown observables that differ."""
        assert sides.difference is not None
        return known(self.job.version, sides) or sides.difference.sort

    def _account(self, name: str, sides: SideBySide, rules: list[list[str]]) -> None:
        report = self.report
        report.behaviours["walk" if name.startswith(WALK) else "behaviour"] += 1
        report.steps += len(sides.turns)
        report.actions.update(turn.action for turn in sides.turns)
        report.rules.update(chain(*rules, sides.kafka.noted.elements()))
        report.compared.update(sides.compared)
        report.untold.update(sides.untold)
        report.avoided.update(sides.model.avoided)
        now = time.monotonic()
        if now - self.told > TOLD:
            self.told = now
            done = sum(report.behaviours.values())
            self.line.tell(Progress(done, self.total, report.steps, report.differing))


def drives(plan: Plan, walker: Any) -> Iterator[tuple[str, Callable[[SideBySide], None]]]:
    """Each trace of a plan: its name, and the function that drives it."""
    for behaviour in plan.behaviours:
        yield behaviour.name, partial(SideBySide.follow_all, turns=behaviour.turns)
    for number in plan.walks:
        yield f"{WALK}{number}", partial(walker.walk, number)
