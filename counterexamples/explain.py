"""Explains a violation: which constants it requires, and which change of one constant makes the property hold.

Each answer is one exhaustive run with one constant changed, so it is a proof within the same bounds. A run that meets
the limit on states decides nothing and is reported as such; one whose spec refuses the constant, or fails with it, is
no valid setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..checker.engines.explicit.exhaustive import check
from ..checker.engines.limits import Limits
from ..checker.errors import EverystateError
from ..checker.frontend.model import build
from ..checker.language.marks import CONSTRAINT
from ..checker.language.spec import Spec
from ..checker.results.plain import scalar, show
from ..checker.results.plain_trace import plain_trace_of
from ..checker.results.text import headline
from ..checker.results.trace import Trace
from .sections import Section, lines
from .wording import broken_words

MAX_STATES = 2_000_000
FARTHEST = 2
"""The largest change of a whole number that is tried for the nearest safe setting."""
LONGEST = 100
"""The maximum length of a witness; longer ones, as of a whole log, are left to the last state of the trace."""
ZERO_MEANS = "0:"
"""Words in the text of a constant for which zero is a special value, not a budget."""


@dataclass(frozen=True)
class Safe:
    """A change of one constant under which the property is proved."""

    name: str
    old: Any
    new: Any
    states: int


Changes = tuple[tuple[str, Any], ...]
"""Constants, each with another value."""


@dataclass(frozen=True)
class Explanation:
    """What a violation requires; `undecided` names constants at zero for which the limit on states came first.

    `nearest` are the changes by the least distance at which any is safe. Of all that were tried for it, `open` met the
    limit on states, and `refused` are no valid settings of the spec. With those in `pruned` the property holds within
    `constraints`, which proves nothing.
    """

    trace: Trace
    needed: tuple[str, ...]
    not_needed: tuple[str, ...]
    undecided: tuple[str, ...]
    nearest: tuple[Safe, ...]
    open: Changes
    pruned: Changes
    refused: Changes
    constraints: tuple[str, ...] = ()


@dataclass
class _Runs:
    """Exhaustive runs of one spec for one property, each choice of constants once."""

    spec: Spec
    name: str
    max_states: int
    notify: Callable[[str], None]
    known: dict[tuple[str, Any], tuple[str, int]] = field(default_factory=dict)

    def outcome(self, constant: str, value: Any) -> tuple[str, int]:
        """`holds`, `fails`, `pruned`, `undecided` or `refused` with one constant changed, and the number of states.

        `pruned`: it holds within a constraint that cut the search off, which is no proof.
        """
        if (constant, value) not in self.known:
            self.notify(f"{constant}={value}")
            self.known[constant, value] = self._run({**self.spec.constants, constant: value})
        return self.known[constant, value]

    def _run(self, constants: dict[str, Any]) -> tuple[str, int]:
        try:
            result = check(build(self.spec._with(constants)), Limits(max_states=self.max_states))
        except EverystateError:
            return "refused", 0
        names = {violation.property for violation in result.violations}
        if self.name in names:
            return "fails", result.distinct
        if "error" in names:
            return "refused", 0
        if result.stopped or self.name in result.conditions.unjudged:
            return "undecided", result.distinct
        return ("pruned" if result.conditions.pruned else "holds"), result.distinct


def explain(
    spec: Spec, trace: Trace, max_states: int = MAX_STATES, notify: Callable[[str], None] = lambda _: None
) -> Explanation:
    """Explain a trace of a spec; `notify` gets each run before it begins."""
    runs = _Runs(spec, trace.shows, max_states, notify)
    numbers = {n: v for n, v in spec.constants.items() if type(v) is int and v > 0}
    texts = {name: constant.text for name, constant in type(spec)._declared_constants().items()}
    budgets = [name for name in numbers if ZERO_MEANS not in texts[name]]
    at_zero = {name: runs.outcome(name, 0)[0] for name in budgets}

    def those(outcome: str) -> tuple[str, ...]:
        return tuple(name for name, found in at_zero.items() if found == outcome)

    safe, tried = _nearest(runs)

    def changes(outcome: str) -> Changes:
        return tuple((name, new) for name, _, new in tried if runs.outcome(name, new)[0] == outcome)

    zeros = those("holds"), those("fails"), those("undecided")
    pruned = dict.fromkeys((*((name, 0) for name in those("pruned")), *changes("pruned")))
    constraints = tuple(spec._named(CONSTRAINT))
    return Explanation(trace, *zeros, safe, changes("undecided"), tuple(pruned), changes("refused"), constraints)


def _nearest(runs: _Runs) -> tuple[tuple[Safe, ...], list[tuple[str, Any, Any]]]:
    """The changes of one constant by the least distance at which any makes the property hold, and all that were tried,
    as name, old and new value."""
    tried: list[tuple[str, Any, Any]] = []
    for distance in range(1, FARTHEST + 1):
        found = [(name, old, new) for name, old in runs.spec.constants.items() for new in _values(old, distance)]
        tried += found
        outcomes = [(change, *runs.outcome(change[0], change[2])) for change in found]
        safe = tuple(Safe(*change, states) for change, outcome, states in outcomes if outcome == "holds")
        if safe:
            return safe, tried
    return (), tried


def _values(old: Any, distance: int) -> list[Any]:
    if isinstance(old, bool):
        return [not old] if distance == 1 else []
    if isinstance(old, int) and old > 0:
        return [new for new in (old - distance, old + distance) if new >= 0]
    return []


def explanation_lines(found: Explanation, texts: dict[str, str]) -> Iterator[str]:
    """An explanation as text; `texts` are the authors' descriptions of the constants."""
    plain = plain_trace_of(found.trace)
    yield headline(plain)
    yield from broken_words(plain)
    yield ""
    yield from lines(sections(found, texts))


def sections(found: Explanation, texts: dict[str, str]) -> list[Section]:
    """The values that decided, the faults that are required, and the nearest safe settings."""
    witness = {name: show(scalar(value)) for name, value in found.trace.witness.items()}
    groups = {
        "Required for the violation (with 0 the property holds)": found.needed,
        "Not required (with 0 the property is violated as well)": found.not_needed,
        "Not decided within the limit on states": found.undecided,
    }
    constants = found.trace.constants
    made = [
        Section("Values that decide", tuple((n, f"= {text}") for n, text in witness.items() if len(text) <= LONGEST)),
        *(
            Section(title, tuple((name, f"= {constants[name]}", texts.get(name, "")) for name in names))
            for title, names in groups.items()
        ),
    ]
    return [*(section for section in made if section.rows), _settings(found)]


def _settings(found: Explanation) -> Section:
    """The nearest safe settings, or that there are none."""
    title = "No change of one constant by 1 or 2 is safe"
    if found.nearest:
        title = "Nearest safe settings, one constant changed"
    elif found.open or found.pruned or found.refused:
        title = "No change of one constant by 1 or 2 is known to be safe"
    safe = [(s.name, f"= {s.new}", f"instead of {s.old}", f"proved in {s.states:,} states") for s in found.nearest]
    notes = [f"not decided within the limit on states: {_said(found.open)}"] if found.open else []
    if found.pruned:
        within = ", ".join(found.constraints)
        notes.append(f"holds only within {within}, which pruned successors: {_said(found.pruned)}")
    if found.refused and not found.nearest:
        notes.append(f"no setting of the spec: {_said(found.refused)}")
    return Section(title, tuple(safe), tuple(notes))


def _said(changes: Changes) -> str:
    return ", ".join(f"{name} = {value}" for name, value in changes)
