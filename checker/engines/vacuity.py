"""Vacuity warnings: what a successful run never exercised, in the same words for every engine.

The first clause is what never happened, the rest why: a sweep over many checks compares and prints the first clause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..errors import Where
from ..results.text import count
from ..results.verdict import ActionCoverage


def never_enabled(action: str, where: str = "", stops: Iterable[str] = ()) -> str:
    """A sentence: an action was never enabled; `where` is where it was looked for, `stops` what stopped it."""
    return "; ".join([f"action {action} was never enabled{where}", *stops])


def never_true(name: str, place: Where, where: str = "") -> str:
    """A sentence: the left side of an implication was never true, so that a property is vacuous there."""
    return f"{name} holds vacuously at line {place.line}{where}: the left side of `{place.source}` was never true"


EARLY = 2
"""Levels of a search that has ended early."""


def ends_early(coverage: Mapping[str, ActionCoverage], levels: int, ended: int, states: int) -> Iterator[str]:
    """A sentence where no step is possible, or no second one and some action never: a guard may be wrong."""
    never = levels <= EARLY and any(not action.enabled for action in coverage.values())
    if ended and (never or ended == states):
        steps = f"; no state is more than {count(levels - 1, 'step')} from the beginning" if levels > 1 else ""
        yield f"no action is enabled in {ended:,} of {count(states, 'state')}{steps}"


def pruned(successors: int, initial: int = 0) -> str:
    """What constraints pruned, for `Conditions.pruned`; empty where they pruned nothing."""
    parts = [count(successors, "successor")] if successors else []
    parts += [count(initial, "initial state")] if initial else []
    return f"pruned {' and '.join(parts)}" if parts else ""
