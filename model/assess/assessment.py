"""The answer: a cell for each promise and failure, the changes of settings that repair cells, and the exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from . import another_client, producer, transactions
from .checks import Check, Scope
from .harm import level
from .pairs import BETWEEN, failure_of
from .settings import Settings

KEPT, BROKEN, IMPOSSIBLE, UNCOVERED, UNDECIDED = "kept", "broken", "cannot happen", "not covered", "undecided"
SAFE = (KEPT, IMPOSSIBLE)
UNREAD = "not all that was given could be read"


@dataclass(frozen=True)
class Result:
    """What a check of the model found: for each property that fails its steps and trace, or why it is undecided."""

    violated: dict[str, int]
    traces: dict[str, str] = field(default_factory=dict)
    undecided: str = ""
    pruned: bool = False
    unjudged: dict[str, str] = field(default_factory=dict)


SCOPES = (producer.SCOPE, transactions.SCOPE)
PROMISES = tuple(dict.fromkeys(name for scope in SCOPES for name in scope.promises))
FAILURES = tuple(dict.fromkeys(name for scope in SCOPES for name in scope.failures))
"""All that can be asked for."""


def scope_of(settings: Settings) -> Scope:
    """What is covered for a producer."""
    if settings.librdkafka or settings.other:
        return another_client.SCOPE
    return transactions.SCOPE if settings.transactional else producer.SCOPE


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
    ruled: bool = False
    """Whether the rules of replication decide, not the model."""


@dataclass(frozen=True)
class Repair:
    """A set of changed settings, the cells that it repairs and breaks, and what it leaves broken, by harm."""

    changes: dict[str, str]
    repaired: int
    broken: int
    cells: frozenset[tuple[str, str]] = frozenset()
    """The promises and failures of what it repairs."""
    left: tuple[Cell, ...] = ()
    """What is broken with it, under the failures that break something without it."""
    text: str = ""
    """The change in words, where it is none of settings."""
    unknown: int = 0
    """Broken cells of which is not known whether they are kept with it."""

    @property
    def change(self) -> str:
        """The change in one line."""
        return self.text or ", ".join(f"{name}={value}" for name, value in self.changes.items())


@dataclass(frozen=True)
class Assessment:
    """Settings, cells and repairs; None where these were not looked for."""

    settings: Settings
    cells: tuple[Cell, ...]
    repairs: tuple[Repair, ...] | None = None

    @property
    def outside(self) -> str:
        """Why nothing was checked."""
        return _outside(self.settings)

    @property
    def broken(self) -> list[Cell]:
        """The broken cells."""
        return [cell for cell in self.cells if cell.status == BROKEN]

    @property
    def worst(self) -> list[Cell]:
        """The broken cells of the greatest harm."""
        least = min((level(cell.promise) for cell in self.broken), default=0)
        return [cell for cell in self.broken if level(cell.promise) == least]

    @property
    def unrepaired(self) -> list[Cell]:
        """The broken cells that no change repairs, where changes were looked for."""
        repaired = {key for repair in self.repairs or () for key in repair.cells}
        return [] if self.repairs is None else [c for c in self.broken if (c.promise, c.failure) not in repaired]


def plan(settings: Settings, failures: Sequence[str]) -> dict[str, Check]:
    """The checks of some failures by their command, each once."""
    return {check.command: check for failure in failures for check in checks(settings, failure)}


def checks(settings: Settings, failure: str) -> list[Check]:
    """The checks of a failure; none where it cannot happen or is not covered."""
    found = failure_of(scope_of(settings), failure)
    return [] if found is None or _excluded(settings, failure)[0] else found.checks(settings)


def _outside(settings: Settings) -> str:
    """Why nothing at all is covered."""
    return UNREAD if settings.problems else scope_of(settings).outside(settings)


def _excluded(settings: Settings, failure: str) -> tuple[str, str]:
    """Why nothing is checked under a failure: a status and its reason, or nothing."""
    if settings.problems:
        return UNDECIDED, UNREAD
    if reason := _outside(settings):
        return UNCOVERED, reason
    found = failure_of(scope_of(settings), failure)
    if found is None:
        return IMPOSSIBLE, "transactional.id is not set"
    if reason := found.impossible(settings):
        return IMPOSSIBLE, reason
    reason = found.uncovered(settings)
    return UNCOVERED if reason else "", reason


def cells(settings: Settings, failures: Sequence[str], promises: Sequence[str], results: Results) -> tuple[Cell, ...]:
    """The cells of a table."""
    return tuple(_cell(settings, failure, promise, results) for failure in failures for promise in promises)


def by_rule(settings: Settings, failures: Sequence[str], promises: Sequence[str]) -> tuple[Cell, ...]:
    """The cells that need no check of the model."""
    found = (_by_rule(settings, failure, promise) for failure in failures for promise in promises)
    return tuple(cell for cell in found if cell is not None)


def _by_rule(settings: Settings, failure: str, promise: str) -> Cell | None:
    if _excluded(settings, failure)[0] in (IMPOSSIBLE, UNDECIDED) or _outside(settings):
        return None
    ruled = scope_of(settings).rule(settings, failure.split(BETWEEN), promise)
    return None if ruled is None else Cell(promise, failure, ruled[0], reason=ruled[1], ruled=True)


def _cell(settings: Settings, failure: str, promise: str, results: Results) -> Cell:
    cell = _judged(settings, failure, promise, results)
    reason = (
        scope_of(settings).not_covered(settings, promise, cell.status == KEPT) if cell.status in (KEPT, BROKEN) else ""
    )
    return Cell(promise, failure, UNCOVERED, reason=reason) if reason else cell


def _judged(settings: Settings, failure: str, promise: str, results: Results) -> Cell:
    """A cell by the model."""
    status, reason = _excluded(settings, failure)
    if status in (IMPOSSIBLE, UNDECIDED) or (status and _outside(settings)):
        return Cell(promise, failure, status, reason=reason)
    ruled = _by_rule(settings, failure, promise)
    if ruled is not None:
        return ruled
    if status:
        return Cell(promise, failure, status, reason=reason)
    promised = scope_of(settings).promises.get(promise)
    if promised is None:
        reason = transactions.ORDER if settings.transactional else "transactional.id is not set"
        return Cell(promise, failure, UNCOVERED, reason=reason)
    name = promised.property
    judging = [check for check in checks(settings, failure) if not check.only or name in check.only]
    found = [(check, results[check.command]) for check in judging]
    violated = [(result.violated[name], check, result) for check, result in found if name in result.violated]
    if violated:
        steps, check, result = min(violated, key=lambda each: each[0])
        finding = check.findings.get(name, "")
        return Cell(promise, failure, BROKEN, steps, "", check, finding, result.traces.get(name, ""))
    undecided = [why for _, result in found if (why := result.undecided or result.unjudged.get(name, ""))]
    if undecided:
        return Cell(promise, failure, UNDECIDED, reason=undecided[0])
    pruned = any(result.pruned for _, result in found)
    return Cell(promise, failure, KEPT, reason="the log of the model was full in some behaviours" if pruned else "")


def codes(found: Sequence[Cell]) -> int:
    """The exit code: 12 where a promise is broken, 3 where one is open or was not checked, 0 where all are kept."""
    if any(cell.status == BROKEN for cell in found):
        return 12
    return 0 if all(cell.status in SAFE for cell in found) and not unchecked(found) else 3


def unchecked(found: Sequence[Cell]) -> list[str]:
    """The promises for which nothing was checked, since none of the failures can happen."""
    checked = {cell.promise for cell in found if cell.status != IMPOSSIBLE}
    return list(dict.fromkeys(cell.promise for cell in found if cell.promise not in checked))
