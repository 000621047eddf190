"""The value of a formula on one lasso, by fixed points over its states: the last word on each counterexample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...language import formulas as ltl


def holds_on(form: Any, states: Sequence[Sequence[bool]], loop: int) -> bool:
    """Whether a form holds at the beginning of a behaviour that goes back from its last state to state `loop`."""
    return _values(form, states, loop)[0]


def _values(form: Any, states: Sequence[Sequence[bool]], loop: int) -> list[bool]:
    """The value of a form at each state."""
    if not isinstance(form, tuple):
        return [state[form] for state in states]
    parts = [_values(part, states, loop) for part in form[1:]]
    count = len(states)
    match form[0]:
        case ltl.NOT:
            return [not value for value in parts[0]]
        case ltl.AND:
            return [all(part[at] for part in parts) for at in range(count)]
        case ltl.OR:
            return [any(part[at] for part in parts) for at in range(count)]
        case ltl.IMPLIES:
            return [not a or b for a, b in zip(*parts, strict=True)]
        case ltl.ALWAYS:
            return [not value for value in _until([True] * count, [not value for value in parts[0]], loop)]
        case ltl.EVENTUALLY:
            return _until([True] * count, parts[0], loop)
    return _until(parts[0], parts[1], loop)


def _until(before: Sequence[bool], then: Sequence[bool], loop: int) -> list[bool]:
    """The least fixed point of `then`, or `before` and the same in the next state."""
    found = list(then)
    for _ in range(2):  # the second time around the loop nothing is new
        for at in reversed(range(len(found))):
            after = found[at + 1] if at + 1 < len(found) else found[loop]
            found[at] = found[at] or (before[at] and after)
    return found
