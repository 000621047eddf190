"""What every search adds up to, whatever its spec: laws of conservation between its counts.

They are exact and cost a few additions. The cross-check looks at some of the states; these laws are about all: none
was passed over when levels were expanded, and none got lost on its way from its predecessor into the store.
"""

from __future__ import annotations

from ...errors import EverystateError
from .findings import Findings
from .history import History


def check(findings: Findings, history: History, initial: int, complete: bool, dropping: bool) -> None:
    """E505 where the counts of a search do not add up. `initial` are the initial states, duplicates included. A search
    that is not `complete` has expanded its last level in part or not at all; one that is `dropping` has left out
    successors on purpose, at a limit."""
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
