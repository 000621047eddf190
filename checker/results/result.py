"""Result: everything that a run found out, for people, for JSON and for tests."""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from typing import Any

from ..errors import CheckedError
from ..language import marks
from ..language.spec import Spec
from .trace import Trace
from .verdict import GRAVITY, ActionCoverage, ExitCode, Kind, Verdict

PROPERTIES = {marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE, *marks.TEMPORAL}
"""The kinds of which a verdict says something; where there is none, it says so."""


@dataclass(frozen=True)
class Violation:
    """A property that fails, with a shortest trace (none for a goal that is never reached)."""

    property: str
    kind: Kind
    trace: Trace | None
    text: str = ""
    error: CheckedError | None = None
    states: int = 0
    """States (steps, for a step invariant) in which it fails, as far as the run got."""

    @builtins.property
    def length(self) -> int | None:
        """Steps of the trace; a step that could not be taken, or that leads back, counts as one."""
        trace = self.trace
        return None if trace is None else trace.length + bool(trace.failing) + bool(trace.closing)


@dataclass(frozen=True)
class Result:
    """What a run found out.

    `depth` counts levels of the breadth-first search, the initial states being level 1. `stopped` says why
    a run ended early. `bytes_per_state` counts the state store: arena, table and bookkeeping. `checked` maps
    everything that was looked for to its kind; `statement` is the verdict as a sentence; `doublechecked` counts the
    states that were executed twice, in machine code or formulas and in plain Python.
    """

    target: str
    constants: dict[str, Any]
    engine: str
    verdict: Verdict
    distinct: int
    generated: int
    initial: int
    depth: int
    seconds: float
    bytes_per_state: float = 0.0
    violations: tuple[Violation, ...] = ()
    warnings: tuple[str, ...] = ()
    coverage: dict[str, ActionCoverage] = field(default_factory=dict)
    held: tuple[str, ...] = ()
    stopped: str = ""
    growing: str = ""
    """Of a run that ended early, the variables that still took new values, with the ranges that they have reached."""
    interrupted: bool = False
    doublechecked: int = 0
    checked: dict[str, str] = field(default_factory=dict)
    statement: str = ""
    effort: str = ""
    """What the run cost, for engines that do not count states."""
    details: dict[str, Any] = field(default_factory=dict)
    """What an engine adds to the JSON report, by name."""

    def __post_init__(self) -> None:
        if not self.statement:
            from .sentence import sentence

            object.__setattr__(self, "statement", sentence(self))
        properties = {*self.held, *(name for name, kind in self.checked.items() if kind in PROPERTIES)}
        if self.verdict is not Verdict.VIOLATED and not properties:
            only = "nothing but deadlock and errors" if "deadlock" in self.checked else "nothing but errors"
            said = f"; no property: {only} was checked"
            # A copy of a result has it said already.
            object.__setattr__(self, "statement", f"{self.statement.removesuffix(said)}{said}")

    @property
    def states_per_second(self) -> float:
        """Distinct states for each second of wall time."""
        return self.distinct / self.seconds if self.seconds else 0.0

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the command line."""
        if self.violations:
            gravest = min(self.violations, key=lambda v: GRAVITY.index(v.kind))
            if gravest.error is not None and gravest.kind is Kind.ERROR:
                return ExitCode.ASSERTION
            return gravest.kind.exit_code
        if self.interrupted:
            return ExitCode.INTERRUPTED
        return ExitCode.UNDECIDED if self.verdict is Verdict.UNDECIDED else ExitCode.SUCCESS

    def violation(self, name: str) -> Violation:
        """The violation of a property; KeyError when it was not violated."""
        for found in self.violations:
            if found.property == name:
                return found
        raise KeyError(name)


def checked(spec: Spec, deadlock: bool, temporal: bool = False) -> dict[str, str]:
    """What a run looks for, and within what: each property with its kind, and "deadlock" if that is an error here."""
    kinds = [marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE, marks.CONSTRAINT, marks.VIEW]
    kinds += marks.TEMPORAL if temporal else ()
    found = {p.name: p.kind for p in spec.properties if p.kind in kinds}
    return found | ({"deadlock": Kind.DEADLOCK.value} if deadlock and not spec.may_terminate else {})


def unjudged(spec: Spec) -> list[str]:
    """Warnings of engines that do not judge temporal properties."""
    names = [name for kind in marks.TEMPORAL for name in spec.named(kind)]
    return [f"{name} is a temporal property: only `check` in one process judges it" for name in names]
