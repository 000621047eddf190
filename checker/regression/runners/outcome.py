"""Outcome: the result of one check as plain data, sent from its process, for tables and reports."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from ....counterexamples.diagram import diagram_of
from ....counterexamples.mermaid import mermaid
from ...errors import EverystateError, Where, exit_code_of
from ...language.declarations import class_place, method_name, method_place
from ...language.spec import Spec
from ...results.itf import dump
from ...results.plain import scalar
from ...results.report import report
from ...results.result import Result, Violation
from ...results.text import count, render
from ...results.trace import Trace

DRAWN = 60
"""The number of steps in a diagram for a comment; of a longer trace the last ones."""
PROVED, VIOLATED, UNDECIDED, REFUSED = "proved", "violated", "undecided", "refused"
FORMS = ("text", "mermaid", "itf")
"""The forms of a trace: as `check` prints it, a diagram, and a file."""


@dataclass(frozen=True)
class RenderedTrace:
    """The counterexample of one property in those of the FORMS that a job asks for."""

    text: str = ""
    mermaid: str = ""
    itf: str = ""


@dataclass(frozen=True)
class Finding:
    """The result of a check for one property: its status, its length if violated, the reason if undecided or
    refused."""

    status: str
    length: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Outcome:
    """The JSON report of a check, and further data for tables and reports.

    `checked` names the checked properties, in order. `stopped` is why the search ended early, `error` why the check
    could not be made. `places` has the locations of properties, `chosen` the constants that differ from their defaults.
    `limits` are what the verdict does not cover, `vacuous` what never happened, each without reasons. `unjudged` maps
    properties that were not checked to the reasons; `notes` are remarks about the run itself (the cache).
    """

    report: dict[str, Any]
    statement: str = ""
    checked: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    stopped: str = ""
    error: str = ""
    traces: dict[str, RenderedTrace] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    chosen: dict[str, Any] = field(default_factory=dict)
    cached: bool = False
    limits: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()
    unjudged: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def distinct(self) -> int:
        """Distinct states that were visited."""
        return int(self.report.get("distinct", 0))

    @property
    def cross_checked(self) -> int:
        """States that were cross-checked; of a cached result, those that were compared now."""
        return int(self.report.get("cross_checked", 0))

    @property
    def unexecuted_paths(self) -> int:
        """Paths of actions that states take and plain Python did not execute, if the check was made now."""
        paths = {} if self.cached else self.report.get("paths", {})
        return int(paths["taken"]) - int(paths["executed"]) if paths else 0

    def of(self, name: str) -> Finding:
        """The finding for one property ("deadlock" and "error" included)."""
        for violation in self.report.get("violations", ()):
            if violation["property"] == name:
                return Finding(VIOLATED, violation["length"])
        if self.error:
            return Finding(REFUSED, None, self.error.splitlines()[0])
        if self.stopped:
            return Finding(UNDECIDED, None, self.stopped)
        if name in self.unjudged:
            return Finding(UNDECIDED, None, self.unjudged[name].partition(": ")[2])
        return Finding(PROVED)

    def overall(self) -> Finding:
        """The finding for all properties together: the shortest violation, if there is one."""
        violated = self.report.get("violations", ())
        if violated:
            lengths = [v["length"] for v in violated if v["length"] is not None]
            return Finding(VIOLATED, min(lengths, default=None))
        return self.of(next(iter(self.unjudged), ""))

    def trace_of(self, name: str = "") -> RenderedTrace | None:
        """The counterexample of a property, or the shortest one of all."""
        if name:
            return self.traces.get(name)
        found = [v for v in self.report.get("violations", ()) if v["property"] in self.traces]
        shortest = min(found, key=lambda v: v["length"] or 0, default=None)
        return self.traces[shortest["property"]] if shortest else None

    def noting(self, *notes: str) -> Outcome:
        """The same with remarks."""
        return replace(self, notes=(*self.notes, *notes))


def outcome_of(result: Result, spec: Spec, cached: bool = False, forms: Collection[str] = FORMS) -> Outcome:
    """What remains of a result, with its traces in some forms."""
    traces = {v.property: _rendered(v, v.trace, forms) for v in result.violations if v.trace is not None}
    defaults = type(spec)._declared_constants()
    return Outcome(
        report=report(result),
        statement=result.statement,
        checked=(*result.checked, *result.conditions.guaranteed, "error"),
        held=(*result.held, *result.guaranteed),
        stopped=result.stopped,
        traces=traces,
        places=places(spec),
        chosen={name: scalar(value) for name, value in spec.constants.items() if value != defaults[name].default},
        cached=cached,
        limits=tuple(result.conditions.limits("pruned successors")),
        vacuous=tuple(sentence.partition("; ")[0] for sentence in result.vacuous),
        unjudged=dict(result.conditions.unjudged),
    )


def remarks(outcomes: Sequence[Outcome]) -> list[str]:
    """What the verdicts of some checks do not cover, each sentence once with its targets; what no check of a spec has
    seen; and remarks on the runs."""
    found: dict[str, dict[str, None]] = {}
    for outcome in outcomes:
        for text in outcome.limits:
            found.setdefault(text, {})[outcome.report["target"]] = None
    limits = [f"{some(list(targets), ', ')}: {text}" for text, targets in found.items()]
    notes = dict.fromkeys(note for outcome in outcomes for note in outcome.notes)
    return [*limits, *_never_seen(outcomes), *notes]


def _never_seen(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What never happened in any finished check of a spec; in a single one its constants may well exclude it."""
    specs: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        place = outcome.places.get("error")
        if place is not None and not outcome.stopped:
            specs.setdefault((place.spec, place.path), []).append(outcome)
    for (name, _), checks in specs.items():
        where = f" in any of {len(checks)} checks" if len(checks) > 1 else ""
        for sentence in checks[0].vacuous:
            if all(sentence in outcome.vacuous for outcome in checks):
                yield f"{name}: {sentence}{where}"


def compared(outcomes: Collection[Outcome]) -> str:
    """How many states of some checks were cross-checked, and how many paths were not."""
    paths = sum(outcome.unexecuted_paths for outcome in outcomes)
    states = f"{sum(outcome.cross_checked for outcome in outcomes):,} cross-checked"
    return f"{states}, {count(paths, 'path')} not" if paths else states


def some(names: Sequence[str], between: str) -> str:
    """The first three of some names, and how many more there are."""
    return between.join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def refused(error: EverystateError, target: str, constants: dict[str, Any]) -> Outcome:
    """The outcome of a check that could not be made."""
    known = {"target": target, "constants": constants, "engine": "native", "verdict": "UNDECIDED"}
    return Outcome(_empty(known, exit_code_of(error)), statement=error.what, error=error.explain())


def undecided(reason: str, target: str, constants: dict[str, Any], code: int = 3) -> Outcome:
    """The outcome of a check that ended without a result."""
    known = {"target": target, "constants": constants, "engine": "native", "verdict": "UNDECIDED"}
    return Outcome(_empty(known, code), statement=f"UNDECIDED  {reason}", stopped=reason)


def _empty(known: dict[str, Any], code: int) -> dict[str, Any]:
    numbers = ("distinct", "generated", "depth", "cross_checked", "seconds", "states_per_second", "bytes_per_state")
    lists: dict[str, Any] = {"violations": [], "conditions": [], "warnings": [], "coverage": {}}
    return {**known, "exit_code": code, **dict.fromkeys(numbers, 0), **lists}


def _rendered(violation: Violation, trace: Trace, forms: Collection[str]) -> RenderedTrace:
    error = "" if violation.error is None else f"\n{violation.error.explain()}\n"
    return RenderedTrace(
        render(trace) + error if "text" in forms else "",
        mermaid(diagram_of(trace), DRAWN) if "mermaid" in forms else "",
        dump(trace) if "itf" in forms else "",
    )


@dataclass(frozen=True)
class Place:
    """One property: the class of its spec, its sentence, and the line of its `def`."""

    spec: str
    text: str
    path: str
    line: int


def places(spec: Spec) -> dict[str, Place]:
    """Every property that can be placed; a deadlock, and an action that fails, belong to the class."""
    name, found = type(spec).__name__, {}
    for prop in spec.properties:
        method = inspect.unwrap(getattr(type(spec), method_name(prop.name)))
        where = method_place(method)
        found[prop.name] = Place(name, prop.text, where.path, _line_of_def(method, where.line))
    whole = _class_place(type(spec))
    if whole is not None:
        found["deadlock"] = Place(name, "some action is enabled", whole.path, whole.line)
        found["error"] = Place(name, "no action fails", whole.path, whole.line)
    return found


@lru_cache(maxsize=256)
def _class_place(cls: type[Spec]) -> Where | None:
    """The place of a class, kept since Python reads the whole file to find it."""
    return class_place(cls)


@lru_cache(maxsize=4096)
def _line_of_def(method: object, first: int) -> int:
    """A decorated function begins at its decorators."""
    try:
        lines, _ = inspect.getsourcelines(method)  # type: ignore[arg-type]
    except (OSError, TypeError):
        return first
    return next((first + n for n, line in enumerate(lines) if line.lstrip().startswith("def ")), first)
