"""Result: the complete outcome of a run, for people, for JSON and for tests."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import CheckedError, EverystateError
from ..language import marks
from ..language.spec import Spec
from .conditions import Conditions
from .coverage import PathCoverage
from .plain import show_constants
from .text import count, named_kind
from .verdict import GRAVITY, ActionCoverage, ExitCode, Kind, SampleCoverage, Verdict

if TYPE_CHECKING:
    from .trace import Trace

REFINES = f"{marks.REFINEMENT} of "
PROPERTIES = {marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE, *marks.TEMPORAL}
"""The kinds of properties that a verdict mentions; it also says where there is none."""


@dataclass(frozen=True)
class Violation:
    """A property that fails, with a shortest trace (none for a goal that is never reached)."""

    property: str
    kind: Kind
    trace: Trace | None
    text: str = ""
    error: CheckedError | None = None
    states: int = 0
    """Explored states (steps, for a step invariant) in which it fails, as far as the run got."""
    beyond: bool = False
    """Whether it fails in states outside a constraint. These are not stored, so they are not counted."""
    remark: str = ""
    """Who has found it, and whether a shorter trace may exist, where that is not the usual case."""

    @builtins.property
    def length(self) -> int | None:
        """Steps of the trace; a step that could not be taken, or that leads back, counts as one."""
        trace = self.trace
        return None if trace is None else trace.length + bool(trace.failing) + bool(trace.closing)


@dataclass(frozen=True)
class Result:
    """What a run found out.

    `conditions` says what the verdict depends on. `depth` counts levels of the breadth-first search, the initial states
    being level 1. `stopped` says why a run ended early. `bytes_per_state` counts the state store: arena, table and
    bookkeeping. `checked` maps everything that was looked for to its kind; `remarks` are warnings that no condition
    causes; `cross_checked` counts the states that were cross-checked, in machine code or formulas and in plain Python.
    """

    target: str
    constants: dict[str, Any]
    engine: str
    verdict: Verdict
    conditions: Conditions
    distinct: int
    generated: int
    initial: int
    depth: int
    seconds: float
    bytes_per_state: float = 0.0
    violations: tuple[Violation, ...] = ()
    remarks: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()
    """What never happened: actions that were never enabled, left sides of `implies` that were never true."""
    coverage: dict[str, ActionCoverage] = field(default_factory=dict)
    sampled: SampleCoverage | None = None
    """Of random walks, what they covered."""
    held: tuple[str, ...] = ()
    stopped: str = ""
    growing: str = ""
    """Of a run that ended early, the variables that still took new values, with the ranges that they have reached."""
    interrupted: bool = False
    cross_checked: int = 0
    paths: PathCoverage | None = None
    """The paths of actions that were cross-checked, where they are known."""
    times: dict[str, float] = field(default_factory=dict)
    """Seconds of the whole command and of its parts, where they were measured."""
    checked: dict[str, str] = field(default_factory=dict)
    said: str = ""
    """The outcome in the engine's own words, if it has any."""
    how: str = ""
    """The method, for the end of the last line's parentheses."""
    beyond: str = ""
    """What nothing was found of, in words."""
    effort: str = ""
    """The cost of the run, for engines that do not count states."""
    details: dict[str, Any] = field(default_factory=dict)
    """What an engine adds to the JSON report, by name."""

    def __post_init__(self) -> None:
        """A model whose properties were not all translated is not proved."""
        if self.conditions.incomplete and self.verdict in (Verdict.PROVED, Verdict.BOUNDED):
            object.__setattr__(self, "verdict", Verdict.UNDECIDED)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Everything that a reader of the verdict should know."""
        return (*self.remarks, *self.vacuous, *self.conditions.warnings())

    @property
    def statement(self) -> str:
        """The verdict as a sentence: the last line of a report."""
        return f"{self.verdict}  {self.said or _said(self)}{_under(self)}{_left_open(self)}"

    @property
    def headline(self) -> str:
        """The verdict in a few words, for the first line of the block that ends a report."""
        if self.violations:
            first = min(self.violations, key=lambda v: GRAVITY.index(v.kind))
            others = len(self.violations) - 1
            return named(first) + (f", and {others} more" if others else "")
        if self.said or self.verdict is Verdict.SAMPLED or self.stopped:
            return self.said or _said(self)
        return _holds(self)

    @property
    def holding(self) -> dict[str, list[str]]:
        """The properties that hold, by kind."""
        found: dict[str, list[str]] = {}
        for name in self.held:
            kind = self.checked.get(name, marks.INVARIANT)
            found.setdefault(WORDS.get(kind, kind), []).append(name)
        return found

    @property
    def guaranteed(self) -> tuple[str, ...]:
        """The invariants that the domains of the variables guarantee, where no action leaves them."""
        left = self.stopped or any(violation.kind is Kind.ERROR for violation in self.violations)
        return () if left else self.conditions.guaranteed

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


def _is_property(kind: str) -> bool:
    return kind in PROPERTIES or kind.startswith(REFINES)


def checked(spec: Spec, deadlock: bool, temporal: bool = False) -> dict[str, str]:
    """What a run looks for: each property with its kind, and "deadlock" if that is an error here."""
    kinds = [marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE, *(marks.TEMPORAL if temporal else ())]
    found = {p.name: p.kind for p in spec.properties if p.kind in kinds}
    found |= {name: f"{REFINES}{refined.of}" for name, refined in spec._refinements.items()}
    return found | ({"deadlock": Kind.DEADLOCK.value} if deadlock and not spec._ends else {})


def claimed(spec: Spec, names: Iterable[str]) -> str:
    """The names of properties, with the parts of a refinement that are not checked."""
    return ", ".join(f"{name} (safety only)" if name in spec._refinements else name for name in names)


def _under(result: Result) -> str:
    """The conditions of a verdict, in parentheses: constants, bounds, and the method."""
    parts = result.conditions.phrases()
    if result.verdict is Verdict.VIOLATED:
        # A counterexample holds without conditions; that a goal is never reached does not.
        parts = parts if any(v.kind is Kind.UNREACHED for v in result.violations) else []
    elif result.constants and (_how(result) or result.said) and result.verdict is not Verdict.SAMPLED:
        parts = [show_constants(result.constants), *parts]
    parts += [_how(result)] if _how(result) else []
    return f" ({', '.join(parts)})" if parts else ""


def _left_open(result: Result) -> str:
    """What a verdict leaves open, though it is no violation."""
    if result.verdict is Verdict.VIOLATED:
        return ""
    said = "; nothing is proved" if result.verdict is Verdict.SAMPLED else ""
    said += f"; {result.beyond}" if result.beyond else ""
    unjudged = result.conditions.unjudged
    if unjudged:
        return f"{said}; {_names(unjudged)} {'is' if len(unjudged) == 1 else 'are'} not judged"
    if result.held or result.guaranteed or any(map(_is_property, result.checked.values())):
        return said
    only = "nothing but deadlock and errors" if "deadlock" in result.checked else "nothing but errors"
    return f"{said}; no property: {only} was checked"


def _said(result: Result) -> str:
    """The outcome of an engine that visits states."""
    match result.verdict:
        case Verdict.VIOLATED:
            return _violated(result)
        case Verdict.SAMPLED:
            return f"no violation on {result.stopped}"
        case _ if result.stopped:
            return _undecided(result)
    return _claims(result)


def _how(result: Result) -> str:
    if result.said or result.verdict is Verdict.VIOLATED:
        return result.how
    if result.verdict is Verdict.SAMPLED:
        return f"{count(result.generated, 'state')} on the way, {different(result)}"
    return "" if result.stopped else "exhaustive, exact states"


def different(result: Result) -> str:
    """How many distinct states walks have visited."""
    about = "about " if result.sampled and result.sampled.error else ""
    return f"{about}{result.distinct:,} distinct"


def _visited(result: Result) -> str:
    """What was visited, with its number: states, or their orbits with symmetry reduction."""
    if result.conditions.permutations:
        return f"{count(result.distinct, 'orbit')} of reachable states"
    return count(result.distinct, "reachable state")


def _claims(result: Result) -> str:
    """What holds, kind by kind."""
    states = f"all {_visited(result)}"
    kinds = {name: result.checked.get(name, marks.INVARIANT) for name in result.held}
    invariants = [*(n for n, kind in kinds.items() if kind == marks.INVARIANT), *result.guaranteed]
    steps = [n for n, kind in kinds.items() if kind == marks.STEP_INVARIANT]
    goals = [n for n, kind in kinds.items() if kind == marks.REACHABLE]
    refined = {n: kind.removeprefix(REFINES) for n, kind in kinds.items() if kind.startswith(REFINES)}
    claims = [f"{_names(invariants)} {_verb(invariants, 'hold')} in {states}"] if invariants else []
    where = "" if invariants else f" of {states}"
    claims += [f"{_names(steps)} {_verb(steps, 'hold')} in every step{where}"] if steps else []
    claims += [
        f"{n}: in {states} it begins as {of} does, and each step is one of {of} or changes nothing there (safety only)"
        for n, of in refined.items()
    ]
    claims += [f"{_names(goals)} {'is' if len(goals) == 1 else 'are'} reachable"] if goals else []
    always = [n for n, kind in kinds.items() if kind == marks.ALWAYS_REACHABLE]
    claims += [f"{_names(always)} can be reached from every state"] if always else []
    temporal = [n for n, kind in kinds.items() if kind in marks.LIVENESS]
    claims += [f"{_names(temporal)} {_verb(temporal, 'hold')} on every fair behaviour"] if temporal else []
    free = "no deadlock, no action fails" if "deadlock" in result.checked else "no action fails"
    return "; ".join([*claims, free if invariants or steps or refined else f"{free} in {states}"])


def _violated(result: Result) -> str:
    said = [fails(violation) for violation in result.violations]
    plain = [v.kind in (Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.REFINEMENT) for v in result.violations]
    shorter = [
        words.replace(" violated ", " ", 1) if plain[i] and i and plain[i - 1] else words
        for i, words in enumerate(said)
    ]
    return f"{', '.join(shorter)}; {_extent(result)}"


WORDS = {marks.STEP_INVARIANT: "action property", marks.REACHABLE: "reachability"} | {
    kind: f"temporal, {kind}" for kind in marks.TEMPORAL
}


def named(violation: Violation) -> str:
    """A violation in a few words: Invariant NoDup, 18 steps."""
    length = violation.length
    steps = "an initial state" if length == 0 else count(length or 0, "step")
    match violation.kind:
        case Kind.UNREACHED:
            return f"{violation.property} is never reached"
        case Kind.DEADLOCK:
            return f"Deadlock, {steps}"
        case Kind.ERROR:
            action = violation.trace.failing if violation.trace else "an action"
            return f"{action} fails, {steps}"
        case Kind.PROPERTY_ERROR:
            return f"{violation.property} cannot be evaluated, {steps}"
        case Kind.TRAPPED:
            return f"{violation.property} cannot be reached any more, {steps}"
    return f"{named_kind(violation.kind.value)}{violation.property}, {steps}"


def _holds(result: Result) -> str:
    """What holds where, in a few words."""
    number, states = len(result.held) + len(result.guaranteed), f"all {_visited(result)}"
    if not number:
        free = "No deadlock and no failing action" if "deadlock" in result.checked else "No action fails"
        return f"{free} in {states}"
    kinds = {result.checked.get(name, marks.INVARIANT) for name in result.held}
    noun = "invariant" if kinds <= {marks.INVARIANT} else "property"
    many = noun + "s" if noun == "invariant" else "properties"
    return f"{number} {noun if number == 1 else many} hold{'s' if number == 1 else ''} in {states}"


def fails(violation: Violation) -> str:
    """How one property fails, in a few words."""
    length = violation.length
    steps = "in an initial state" if length == 0 else f"after {count(length or 0, 'step')}"
    match violation.kind:
        case Kind.UNREACHED:
            return f"{violation.property} is never reached"
        case Kind.DEADLOCK:
            return f"deadlock {steps}"
        case Kind.TRAPPED:
            return f"{violation.property} cannot be reached any more {steps}"
        case Kind.TEMPORAL:
            return f"{violation.property} violated by a trace of {count(length or 0, 'step')}"
        case Kind.ERROR:
            code = f" ({violation.error.code})" if violation.error else ""
            action = violation.trace.failing if violation.trace else "an action"
            return f"{action} fails in step {length}: {violation.text}{code}"
        case Kind.PROPERTY_ERROR:
            code = f" ({violation.error.code})" if violation.error else ""
            return f"{violation.property} cannot be evaluated {steps}: {violation.text}{code}"
    return f"{violation.property} violated {steps}"


def _extent(result: Result) -> str:
    """How much of the space a run with violations has explored."""
    if result.engine == "walk":
        return f"seen on {result.stopped}, perhaps not the shortest"
    if any(violation.kind is Kind.ERROR for violation in result.violations):
        return f"the search ended there, {count(result.distinct, 'state')} {_was(result.distinct)} visited"
    if not result.stopped:
        return f"all {_visited(result)} {_was(result.distinct)} visited"
    return f"{result.stopped}; {count(result.distinct, 'state')} {_was(result.distinct)} visited"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _undecided(result: Result) -> str:
    seen = count(result.distinct, "state")
    levels = "the first level is" if result.depth == 1 else f"the first {count(result.depth, 'level')} are"
    grows = f"; still growing: {result.growing}" if result.growing else ""
    return f"{result.stopped or 'stopped'}: no violation in {seen}; {levels} complete{grows}"


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)


def _verb(names: list[str], verb: str) -> str:
    return verb + "s" if len(names) == 1 else verb


OUTSIDE = ("E301", "E302")
"""The errors of a value that its domain cannot hold."""


def check_guesses(result: Result) -> None:
    """E464 if all that was found is a value outside a domain that the reader of TLA+ has guessed."""
    names, errors = result.conditions.guessed, [violation.error for violation in result.violations]
    if names and errors and all(error is not None and error.code in OUTSIDE for error in errors):
        [first, *_] = filter(None, errors)
        raise EverystateError("E464", first.where, problem=first.what, names=", ".join(names), name=names[0])
