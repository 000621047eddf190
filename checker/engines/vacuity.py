"""Vacuity warnings: what a successful run never exercised, in the same words for every engine.

The first clause is what never happened, the rest why: a sweep over many checks compares and prints the first clause.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import Where
from ..results.text import count


def never_enabled(action: str, where: str = "", stops: Iterable[str] = ()) -> str:
    """A sentence: an action was never enabled; `where` is where it was looked for, `stops` what stopped it."""
    return "; ".join([f"action {action} was never enabled{where}", *stops])


def never_true(name: str, place: Where, where: str = "") -> str:
    """A sentence: the left side of an implication was never true, so that a property is vacuous there."""
    return f"{name} holds vacuously at line {place.line}{where}: the left side of `{place.source}` was never true"


def pruned(successors: int, initial: int = 0) -> str:
    """What constraints pruned, for `Conditions.pruned`; empty where they pruned nothing."""
    parts = [count(successors, "successor")] if successors else []
    parts += [count(initial, "initial state")] if initial else []
    return f"pruned {' and '.join(parts)}" if parts else ""
