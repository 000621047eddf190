"""Consistency checks on the counters of every search: conservation laws that hold for any spec.

They are exact and cost a few additions. The cross-check covers a sample of states; these laws cover all of them. They
show that no state was skipped in expansion, and that no successor was lost before it was stored.
"""

from __future__ import annotations

from ...errors import EverystateError
from .findings import Findings
from .history import History


def check(findings: Findings, history: History, initial: int, complete: bool, dropping: bool) -> None:
    """Raise E505 where the counters of a search are inconsistent. `initial` is the number of initial states, with
    duplicates. A search that is not `complete` has not expanded all of its last level; one that is `dropping` has left
    out successors at a limit."""
    program, totals = findings.program, findings.totals.tolist()
    counters, actions = program.counters, range(len(program.action_names))
    generated, expanded = totals[counters.generated], totals[counters.expanded]
    taken = sum(totals[counters.taken(a)] for a in actions)
    new = sum(totals[counters.first(a)] for a in (*actions, len(actions)))
    arrived = totals[counters.outside] + totals[counters.known] + history.distinct
    least = history.distinct if complete else history.upto(history.depth - 1)
    problem = ""
    if not least <= expanded <= history.distinct:
        problem = f"{least:,} states were to be expanded, and {expanded:,} were"
    elif generated != taken:
        problem = f"{generated:,} successors, and {taken:,} steps of actions"
    elif new != history.distinct:
        problem = f"{history.distinct:,} states are stored, and {new:,} were new"
    elif generated + initial != arrived and not dropping:
        problem = f"{generated + initial:,} states were generated, and {arrived:,} arrived"
    if problem:
        raise EverystateError("E505", None, spec=type(program.model.spec).__name__, reason=problem)
