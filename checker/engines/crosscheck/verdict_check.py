"""Compares the verdict with what plain Python saw: no violation may be lost between a search and its report.

A violation, deadlock or error that plain Python saw in a state of the sample must be in the report, and a goal that it
saw must not be reported as unreached. If the sample is the whole space, the violations, their shortest lengths and the
unreached goals are computed from the sample alone, and must be equal. A difference is E217.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...errors import EverystateError
from ...language import marks
from ...language.spec import Spec
from ...results.report import report
from ...results.result import Result
from ...results.verdict import ExitCode, Kind, Verdict

Broken = tuple[str, Kind]
"""The property of a violation, and what kind of violation it is."""
ERROR, DEADLOCK = ("error", Kind.ERROR), ("deadlock", Kind.DEADLOCK)


@dataclass
class Observed:
    """What plain Python saw in a state: violations by the state itself, by its steps, and by successors outside the
    constraints; the goals that it reaches, and those that such successors reach."""

    here: set[Broken] = field(default_factory=set)
    steps: set[Broken] = field(default_factory=set)
    outside: set[Broken] = field(default_factory=set)
    goals: set[str] = field(default_factory=set)
    goals_outside: set[str] = field(default_factory=set)

    def violations(self, expanded: bool) -> Iterator[tuple[Broken, int]]:
        """The violations, each with the steps from this state to it; those of its steps only if it was `expanded`."""
        yield from ((broken, 0) for broken in self.here)
        if expanded:
            yield from ((broken, int(broken != DEADLOCK)) for broken in self.steps)
            yield from ((broken, 1) for broken in self.outside)


@dataclass(frozen=True)
class SampledViolations:
    """What plain Python saw in a sample: for each violation the least number of steps to it, and the reached goals."""

    lengths: Mapping[Broken, int]
    goals: frozenset[str]

    @staticmethod
    def of(states: Iterable[tuple[int, Observed, bool]]) -> SampledViolations:
        """From the states of a sample: the level of each, what was seen there, and whether a search expanded it."""
        lengths: dict[Broken, int] = {}
        goals: set[str] = set()
        for level, seen, expanded in states:
            goals |= seen.goals | (seen.goals_outside if expanded else set())
            for broken, steps in seen.violations(expanded):
                length = level - 1 + steps
                lengths[broken] = min(length, lengths.get(broken, length))
        return SampledViolations(lengths, frozenset(goals))


def confirm(spec: Spec, result: Result, sample: SampledViolations, whole: bool, deadlock: bool = True) -> None:
    """E217 where a result lacks what plain Python saw in a sample; where that is the `whole` space, if it has more."""
    reported = {(v.property, v.kind): v.length for v in result.violations}
    seen = {broken: length for broken, length in sample.lengths.items() if deadlock or broken != DEADLOCK}
    for name, kind in seen:
        if (name, kind) not in reported:
            raise _wrong(spec, f"plain Python saw a violation ({_named(name, kind)}) that is not reported")
        if name in result.held:
            raise _wrong(spec, f"{name} is reported to hold, and plain Python saw that it does not")
    for name in sample.goals:
        if (name, Kind.UNREACHED) in reported:
            raise _wrong(spec, f"{name} is reported as never reached, and plain Python saw it")
    if whole:
        _equal(spec, reported, seen, sample.goals)
    _consistent(spec, result)


def _equal(
    spec: Spec, reported: Mapping[Broken, int | None], seen: Mapping[Broken, int], goals: frozenset[str]
) -> None:
    """Violations, lengths and goals, where the sample is the whole space.

    Initial states that break a refinement are found in plain Python, outside the search.
    """
    apart = (Kind.TEMPORAL, Kind.TRAPPED, Kind.UNREACHED)
    found = {key: length for key, length in reported.items() if key[1] not in apart and key[0] not in spec._refinements}
    for (name, kind), length in found.items():
        if (name, kind) not in seen:
            raise _wrong(spec, f"a violation ({_named(name, kind)}) is reported that plain Python saw in no state")
        if length != seen[name, kind]:
            said = f"{_named(name, kind)}: reported after {length} steps, plain Python saw it after {seen[name, kind]}"
            raise _wrong(spec, said)
    for name in spec._named(marks.REACHABLE):
        if name not in goals and (name, Kind.UNREACHED) not in reported:
            raise _wrong(spec, f"{name} is not reported as never reached, and plain Python saw it in no state")


def _consistent(spec: Spec, result: Result) -> None:
    """The verdict, the exit code and the report say the same as the violations."""
    told = report(result)
    listed = [(v["property"], v["kind"]) for v in told["violations"]]
    if listed != [(v.property, v.kind.value) for v in result.violations]:
        raise _wrong(spec, "the report does not list the violations that were found")
    bad = told["exit_code"] not in (ExitCode.SUCCESS, ExitCode.UNDECIDED)
    if {result.verdict is Verdict.VIOLATED, told["verdict"] == Verdict.VIOLATED, bad} != {bool(listed)}:
        raise _wrong(spec, f"{len(listed)} violations were found, and the verdict is {told['verdict']}")


def _named(name: str, kind: Kind) -> str:
    return kind.value if name in (ERROR[0], DEADLOCK[0]) else f"{kind.value} {name}"


def _wrong(spec: Spec, said: str) -> EverystateError:
    return EverystateError("E217", None, action=type(spec).__name__, reason=said)
