"""Random walks: the model chooses, whatever comes from anywhere as often as it is told, and Kafka follows.

Walk number i of seed s is a function of (s, i) and the spec alone, so any walk can be taken again by itself.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ....checker.language.concrete import Step, StepFailed, attempts
from ...transactions import KafkaTransactions
from ...transactions.records import FAULTS
from ..behaviour import is_fault
from ..process import Line
from .coordinator_rules import SHOWN
from .coordinator_side import Sides
from .strays import Strays

ANSWER = "answer to "
NEAR = 0.7
"""How often what is asked nearly fits."""


@dataclass
class Difference:
    """Where model and Kafka part: the walk, its steps, and by what differs the model's value and Kafka's."""

    walk: int
    steps: list[str]
    values: dict[str, tuple[Any, Any]]

    def __str__(self) -> str:
        lines = [f"walk {self.walk} differs after {len(self.steps)} steps:"]
        lines += [f"  {number}. {step}" for number, step in enumerate(self.steps, 1)]
        return "\n".join([*lines, *(f"  ! {name}: model {m}, Kafka {k}" for name, (m, k) in self.values.items())])


@dataclass
class Account:
    """What was driven."""

    walks: int = 0
    steps: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    difference: Difference | None = None


@dataclass(frozen=True)
class Course:
    """Walks of a spec: their numbers, seed and length, and how often a stray or a fault comes first."""

    kind: type[KafkaTransactions]
    constants: dict[str, Any]
    numbers: range
    seed: int = 0
    steps: int = 60
    strays: float = 0.2
    faults: float = 0.2


def straying(kind: type[KafkaTransactions]) -> type[Strays]:
    """A spec with whatever may be sent from anywhere."""
    return kind if issubclass(kind, Strays) else type(kind.__name__, (Strays, kind), {})


def walk(spec: Strays, number: int, course: Course, account: Account) -> None:
    """Take a walk; it ends after so many steps, where nothing is enabled, or at a difference."""
    dice, sides = random.Random(f"{course.seed} {number}"), Sides(spec)
    labels: list[str] = []
    account.walks += 1
    try:
        while len(labels) < course.steps:
            kind = "stray" if dice.random() < course.strays else "fault" if dice.random() < course.faults else "usual"
            step = _any(spec, sides, dice, kind)
            if step is None or not sides.fits(step):
                return
            labels.append(step.label)
            before = sides.state
            values = sides.step(step)
            account.steps += 1
            account.actions[step.action.name] += 1
            account.answers.update(told(sides.said))
            for facts in sides.facts(step.action.name, before):
                account.rules.update(rule for rule, shows in SHOWN.items() if shows(facts))
            if values:
                account.difference = Difference(number, labels, values)
                return
    finally:
        sides.close()


def _kind(spec: Strays, name: str) -> str:
    if name.startswith("stray"):
        return "stray"
    return "fault" if is_fault(spec, name) else "usual"


def _distance(given: dict[str, Any], tc: Any) -> int:
    if "pid" not in given:
        return 0
    return int(given["pid"] != tc.pid) + int(abs(given.get("epoch", tc.epoch) - tc.epoch) > 1)


def told(said: dict[str, tuple[Any, Any]]) -> list[str]:
    """What Kafka has answered: to what, and by which error."""
    found = {name.removeprefix(ANSWER): pair[1] for name, pair in said.items() if name.startswith(ANSWER)}
    return [f"{name}: {value[0] if isinstance(value, tuple) else value}" for name, value in found.items()]


def _any(spec: Strays, sides: Sides, dice: random.Random, first: str) -> Step | None:
    """Any step, first of those of a kind; what comes from anywhere mostly has nearly the coordinator's pair."""
    names: dict[str, list[Any]] = {}
    for instance in spec.instances:
        names.setdefault(instance.name, []).append(instance)
    order = dice.sample(list(names), len(names))
    tc, near = sides.state.coordinator, dice.random() < NEAR
    for name in sorted(order, key=lambda name: _kind(spec, name) != first):
        instances = dice.sample(names[name], len(names[name]))
        if near:
            instances.sort(key=lambda instance: _distance(dict(instance.arguments), tc))
        for instance in instances:
            found = [step for step in attempts(spec, sides.state, instance) if not isinstance(step, StepFailed)]
            if found:
                return dice.choice(found)
    return None


def drive(line: Line, courses: Sequence[Course]) -> list[Account]:
    """Take the walks of each course, up to its first difference; for `process.run`."""
    accounts = []
    for course in courses:
        accounts.append(Account())
        spec = straying(course.kind)(**course.constants)
        for number in course.numbers:
            if line.stopped or accounts[-1].difference is not None:
                break
            walk(spec, number, course, accounts[-1])
    return accounts


WORLD: dict[str, Any] = {
    "sessions": 2,
    "epochs": 6,
    "pids": 4,
    "transactions": 4,
    "faults": 8,
    **dict.fromkeys(FAULTS, 3),
}
"""The constants of a spec for walks: all kinds of faults, two producers."""
BEGINNINGS = (-1, 3, 4)
"""The epochs that the transactional id has before: none, and shortly before it is exhausted."""


def courses(generation: str, walks: int, seed: int, kind: type[KafkaTransactions] = KafkaTransactions) -> list[Course]:
    """So many walks from each beginning."""
    return [
        Course(kind, {"generation": generation, "start_epoch": at, **WORLD}, range(walks), seed) for at in BEGINNINGS
    ]
