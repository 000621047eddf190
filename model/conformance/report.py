"""The results of a comparison of the model with one release of Kafka."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from .compare import Difference, ObservedStep
from .parts import Parts

AGREED, DIFFERS, NOT_JUDGED, INTERRUPTED = 0, 12, 3, 130
"""Exit codes."""


@dataclass
class FoundDifference:
    """A difference with a part of Kafka: its trace, the steps until then, and the original length.

    `times` counts the traces that end in the same action and the same observable, or, for a known difference, all that
    show it; `known` is its name.
    """

    target: str
    behaviour: str
    turns: list[str]
    seen: list[ObservedStep]
    difference: Difference
    length: int
    times: int = 1
    known: str = ""
    part: str = "Kafka"


@dataclass(frozen=True)
class Agreed:
    """A counterexample that Kafka reproduced: both sides after each step, and the rules whose effect it showed."""

    seen: list[ObservedStep]
    rules: list[list[str]]


@dataclass
class Report:
    """The results for one release. `shown` lists the counterexamples that Kafka reproduced, `agreed` has the steps of
    the first ones.

    `compared` counts by kind the values that were compared, `untold` those of which the model says nothing. `unmet` are
    the rules that walks could have met and did not, `avoided` why steps were not taken, and in how many states.

    `parts` are the parts of Kafka that were driven, and by which targets. `obstacles` has for each target why it could
    not be driven; `undriven` the same for a part of Kafka, where the target was driven beside others. `generation` is
    the protocol version of the release, used instead of the current one for the targets that are `fitted`. `idle` has
    the targets with nothing to drive, and why; `cut` those whose search for counterexamples did not end.
    """

    version: str
    targets: list[str] = field(default_factory=list)
    behaviours: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    seconds: float = 0.0
    actions: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)
    found: list[FoundDifference] = field(default_factory=list)
    differing: int = 0
    obstacles: dict[str, list[str]] = field(default_factory=dict)
    generation: str = ""
    fitted: list[str] = field(default_factory=list)
    idle: dict[str, str] = field(default_factory=dict)
    cut: dict[str, str] = field(default_factory=dict)
    parts: dict[Parts, list[str]] = field(default_factory=dict)
    undriven: dict[str, list[str]] = field(default_factory=dict)
    interrupted: bool = False
    agreed: dict[str, Agreed] = field(default_factory=dict)
    compared: Counter[str] = field(default_factory=Counter)
    untold: Counter[str] = field(default_factory=Counter)
    unmet: list[str] = field(default_factory=list)
    avoided: Counter[str] = field(default_factory=Counter)

    @property
    def exit_code(self) -> int:
        """What the command returns for this release."""
        if self.found:
            return DIFFERS
        if self.interrupted:
            return INTERRUPTED
        return AGREED if self.behaviours and not self.obstacles else NOT_JUDGED

    @property
    def verdict(self) -> str:
        """The verdict in a word."""
        return {AGREED: "AGREED", DIFFERS: "DIFFERENT", NOT_JUDGED: "NOT JUDGED", INTERRUPTED: "INTERRUPTED"}[
            self.exit_code
        ]


def as_json(report: Report) -> dict[str, Any]:
    """A report as plain data."""
    speed = round(report.steps / report.seconds) if report.seconds else 0
    return {
        "kafka": report.version,
        "verdict": report.verdict,
        "exit_code": report.exit_code,
        "targets": report.targets,
        "driven": dict(report.behaviours),
        "steps": report.steps,
        "seconds": round(report.seconds, 1),
        "steps_per_second": speed,
        "actions": dict(sorted(report.actions.items())),
        "rules": dict(sorted(report.rules.items())),
        "rules_not_met": report.unmet,
        "values_compared": dict(sorted(report.compared.items())),
        "values_not_compared": dict(sorted(report.untold.items())),
        "steps_avoided": dict(sorted(report.avoided.items())),
        "reproduced": report.shown,
        "differing": report.differing,
        "found": [asdict(found) for found in report.found],
        "obstacles": report.obstacles,
        "generation": report.generation,
        "fitted": report.fitted,
        "idle": report.idle,
        "cut": report.cut,
        "parts": [{"targets": targets, **asdict(part)} for part, targets in report.parts.items()],
        "undriven": report.undriven,
        "interrupted": report.interrupted,
    }


def together(reports: list[Report]) -> int:
    """The exit code of several releases: the gravest."""
    order = (DIFFERS, INTERRUPTED, NOT_JUDGED, AGREED)
    return next(code for code in order if any(report.exit_code == code for report in reports))
