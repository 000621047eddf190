"""The verdict as a sentence: which verdict, and exactly what was proved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..language import marks
from .plain import show_constants
from .text import count
from .verdict import Kind, Verdict

if TYPE_CHECKING:
    from .result import Result, Violation


def sentence(result: Result) -> str:
    """The last line of a report."""
    match result.verdict:
        case Verdict.PROVED:
            said = _proved(result)
        case Verdict.VIOLATED:
            said = _violated(result)
        case Verdict.SAMPLED:
            said = _sampled(result)
        case _:
            said = _undecided(result)
    return f"{result.verdict}  {said}"


def _proved(result: Result) -> str:
    states = f"all {count(result.distinct, 'reachable state')}"
    within = [name for name, kind in result.checked.items() if kind == marks.CONSTRAINT]
    views = [name for name, kind in result.checked.items() if kind == marks.VIEW]
    bounds = [f"within {_names(within)}"] if within else []
    bounds += [f"up to the view {_names(views)}"] if views else []
    constants = [show_constants(result.constants)] if result.constants else []
    return f"{_claims(result, states)} ({', '.join([*constants, *bounds, 'exhaustive, exact states'])})"


def _claims(result: Result, states: str) -> str:
    """What holds, kind by kind."""
    kinds = {name: result.checked.get(name, marks.INVARIANT) for name in result.held}
    invariants = [n for n, kind in kinds.items() if kind == marks.INVARIANT]
    steps = [n for n, kind in kinds.items() if kind == marks.STEP_INVARIANT]
    goals = [n for n, kind in kinds.items() if kind == marks.REACHABLE]
    claims = [f"{_names(invariants)} {_verb(invariants, 'hold')} in {states}"] if invariants else []
    where = "" if invariants else f" of {states}"
    claims += [f"{_names(steps)} {_verb(steps, 'hold')} in every step{where}"] if steps else []
    claims += [f"{_names(goals)} {'is' if len(goals) == 1 else 'are'} reachable"] if goals else []
    temporal = [n for n, kind in kinds.items() if kind in marks.TEMPORAL]
    claims += [f"{_names(temporal)} {_verb(temporal, 'hold')} on every fair behaviour"] if temporal else []
    free = "no deadlock, no action fails" if "deadlock" in result.checked else "no action fails"
    return "; ".join([*claims, free if invariants or steps else f"{free} in {states}"])


def _violated(result: Result) -> str:
    said = [fails(violation) for violation in result.violations]
    plain = [v.kind in (Kind.INVARIANT, Kind.STEP_INVARIANT) for v in result.violations]
    shorter = [
        words.replace(" fails ", " ", 1) if plain[i] and i and plain[i - 1] else words for i, words in enumerate(said)
    ]
    return f"{', '.join(shorter)}; {_extent(result)}"


def fails(violation: Violation) -> str:
    """How one property fails, in a few words."""
    length = violation.length
    steps = "in an initial state" if length == 0 else f"after {count(length or 0, 'step')}"
    match violation.kind:
        case Kind.UNREACHED:
            return f"{violation.property} is never reached"
        case Kind.DEADLOCK:
            return f"deadlock {steps}"
        case Kind.TEMPORAL:
            return f"{violation.property} fails on a behaviour of {count(length or 0, 'step')}"
        case Kind.ERROR:
            code = f" ({violation.error.code})" if violation.error else ""
            action = violation.trace.failing if violation.trace else "an action"
            return f"{action} fails in step {length}: {violation.text}{code}"
        case Kind.PROPERTY_ERROR:
            code = f" ({violation.error.code})" if violation.error else ""
            return f"{violation.property} cannot be evaluated {steps}: {violation.text}{code}"
    return f"{violation.property} fails {steps}"


def _extent(result: Result) -> str:
    """How much of the space a run with violations has seen."""
    if result.engine == "walk":
        return f"seen on {result.stopped}, perhaps not the shortest"
    if any(violation.kind is Kind.ERROR for violation in result.violations):
        return f"the search ended there, {count(result.distinct, 'state')} {_was(result.distinct)} visited"
    if not result.stopped:
        return f"all {count(result.distinct, 'reachable state')} {_was(result.distinct)} visited"
    return f"{result.stopped}; {count(result.distinct, 'state')} {_was(result.distinct)} visited"


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _undecided(result: Result) -> str:
    seen = count(result.distinct, "state")
    levels = "the first level is" if result.depth == 1 else f"the first {count(result.depth, 'level')} are"
    grows = f"; still growing: {result.growing}" if result.growing else ""
    return f"{result.stopped or 'stopped'}: no violation in {seen}; {levels} complete{grows}"


def _sampled(result: Result) -> str:
    places = f"{count(result.generated, 'state')} on the way, {result.distinct:,} distinct"
    return f"no violation on {result.stopped} ({places}); nothing is proved"


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)


def _verb(names: list[str], verb: str) -> str:
    return verb + "s" if len(names) == 1 else verb
