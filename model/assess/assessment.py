"""The answer: a cell for each promise and failure, the changes of settings that repair cells, and the exit code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .failures import FAILURES, PROMISES, Check, checks
from .settings import ConfigException, Files, Settings, settle

KEPT, BROKEN, IMPOSSIBLE, UNCOVERED, UNDECIDED = "kept", "broken", "cannot happen", "not covered", "undecided"
SAFE = (KEPT, IMPOSSIBLE)


@dataclass(frozen=True)
class Result:
    """What a check of the model found: for each property that fails its steps and trace, or why it is undecided."""

    violated: dict[str, int]
    traces: dict[str, str] = field(default_factory=dict)
    undecided: str = ""
    pruned: bool = False


Results = Mapping[str, Result]
"""Results by the command of their check."""


@dataclass(frozen=True)
class Cell:
    """Whether a promise is kept under a failure; `check` and `finding` are the evidence where it is broken."""

    promise: str
    failure: str
    status: str
    steps: int | None = None
    reason: str = ""
    check: Check | None = None
    finding: str = ""
    trace: str = ""


@dataclass(frozen=True)
class Repair:
    """A change of settings, and how many broken cells it repairs and how many it breaks."""

    change: str
    repaired: int
    broken: int


@dataclass(frozen=True)
class Assessment:
    """Settings, cells and repairs; None where these were not looked for."""

    settings: Settings
    cells: tuple[Cell, ...]
    repairs: tuple[Repair, ...] | None = None

    @property
    def broken(self) -> list[Cell]:
        """The broken cells."""
        return [cell for cell in self.cells if cell.status == BROKEN]


def plan(settings: Settings, failures: Sequence[str]) -> dict[str, Check]:
    """The checks of some failures by their command, each once."""
    return {check.command: check for failure in failures for check in checks(settings, failure)}


def cells(settings: Settings, failures: Sequence[str], promises: Sequence[str], results: Results) -> tuple[Cell, ...]:
    """The cells of a table."""
    return tuple(_cell(settings, failure, promise, results) for failure in failures for promise in promises)


def _cell(settings: Settings, failure: str, promise: str, results: Results) -> Cell:
    rule = FAILURES[failure]
    if settings.outside:
        return Cell(promise, failure, UNCOVERED, reason=settings.outside)
    if reason := rule.impossible(settings):
        return Cell(promise, failure, IMPOSSIBLE, reason=reason)
    if reason := rule.uncovered(settings):
        return Cell(promise, failure, UNCOVERED, reason=reason)
    name = PROMISES[promise][0]
    found = [(check, results[check.command]) for check in checks(settings, failure)]
    violated = [(result.violated[name], check, result) for check, result in found if name in result.violated]
    if violated:
        steps, check, result = min(violated, key=lambda each: each[0])
        finding = check.findings.get(name, "")
        return Cell(promise, failure, BROKEN, steps, "", check, finding, result.traces.get(name, ""))
    undecided = [result.undecided for _, result in found if result.undecided]
    if undecided:
        return Cell(promise, failure, UNDECIDED, reason=undecided[0])
    pruned = any(result.pruned for _, result in found)
    return Cell(promise, failure, KEPT, reason="the log of the model was full in some behaviours" if pruned else "")


def codes(found: Sequence[Cell]) -> int:
    """The exit code: 12 where a promise is broken, 3 where one is open, 0 where all are kept."""
    if any(cell.status == BROKEN for cell in found):
        return 12
    return 0 if all(cell.status in SAFE for cell in found) else 3


# -- repairs -----------------------------------------------------------------------------------------------

FLIGHT = "max.in.flight.requests.per.connection"


def candidates(files: Files, settings: Settings) -> dict[str, Files]:
    """Changes of few settings that may repair something, by what they are."""
    idempotent = {"enable.idempotence": "true", "acks": "all"}
    if settings[FLIGHT] > 5:
        idempotent[FLIGHT] = "5"
    if settings["retries"] == 0:
        idempotent["retries"] = "2147483647"
    in_order = {FLIGHT: "1"}
    replicated = {"replication.factor": "3", "min.insync.replicas": "2"}
    wanted: list[tuple[bool, dict[str, str], dict[str, str]]] = [
        (not settings.idempotent, idempotent, {}),
        (not settings.idempotent, {**idempotent, **in_order}, {}),
        (settings.idempotent and settings[FLIGHT] > 1, in_order, {}),
        (bool(settings["unclean.leader.election.enable"]), {}, {"unclean.leader.election.enable": "false"}),
        (settings["replication.factor"] < 3, {}, replicated),
    ]
    found = {}
    for sensible, producer, topic in wanted:
        changed = replace(files, producer=files.producer | producer, topic=files.topic | topic)
        if sensible and not settings.outside:
            found[", ".join(f"{name}={value}" for name, value in {**producer, **topic}.items())] = changed
    return found


def repairs(files: Files, before: Assessment, make: Callable[[dict[str, Check]], Results]) -> tuple[Repair, ...]:
    """Each change checked under the failures that break a promise, the best first; one that repairs nothing is left."""
    failures = list(dict.fromkeys(cell.failure for cell in before.broken))
    promises = list(dict.fromkeys(cell.promise for cell in before.cells))
    changed: dict[str, Settings] = {}
    for change, other in candidates(files, before.settings).items() if failures else ():
        try:
            changed[change] = settle(other)
        except ConfigException:
            continue
    wanted = {command: check for other in changed.values() for command, check in plan(other, failures).items()}
    results = make(wanted)
    old = {(cell.promise, cell.failure): cell.status for cell in before.cells}
    found = []
    for change, settled in changed.items():
        after = cells(settled, failures, promises, results)
        better = sum(c.status in SAFE and old[c.promise, c.failure] == BROKEN for c in after)
        worse = sum(c.status == BROKEN and old[c.promise, c.failure] in SAFE for c in after)
        if better:
            found.append(Repair(change, better, worse))
    return tuple(sorted(found, key=lambda repair: (repair.broken - repair.repaired, len(repair.change))))
