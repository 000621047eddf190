"""Formulas of linear temporal logic, as a @temporal method returns them: conditions, joined by `always` and others.

    @temporal
    def answered_while_up(self):
        return implies(always(eventually(self.up)), always(implies(self.asked, eventually(self.answered))))

The method is evaluated in every state and joins the boolean values of its conditions there. So a formula has the same
form in all states, and only these values differ. There is no `next`: a trace may stutter, as in TLA+.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import EverystateError, Where, user_place

NOT, AND, OR, IMPLIES = "not", "and", "or", "implies"
ALWAYS, EVENTUALLY, UNTIL = "always", "eventually", "until"
Form = tuple[Any, ...]
"""An operator with its parts: other forms, or the numbers of conditions."""


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula of a @temporal method: an operator with its parts, each another formula or a condition of a state.

    `&`, `|` and `~` join formulas, as `implies` does. A formula has no value in one state: `and`, `or`, `not` and `if`
    of it are an error (E219).

        @temporal
        def busy_and_never_full(self) -> Formula:
            return always(eventually(self.busy)) & ~eventually(self.count == 3)
    """

    operator: str
    parts: tuple[Any, ...]

    def __and__(self, other: Any) -> Formula:
        return Formula(AND, (self, other))

    def __rand__(self, other: Any) -> Formula:
        return Formula(AND, (other, self))

    def __or__(self, other: Any) -> Formula:
        return Formula(OR, (self, other))

    def __ror__(self, other: Any) -> Formula:
        return Formula(OR, (other, self))

    def __invert__(self) -> Formula:
        return Formula(NOT, (self,))

    def __bool__(self) -> bool:
        raise EverystateError("E219", user_place(), value="a temporal formula", remedy=REMEDY)

    def conditions(self) -> list[Any]:
        """Its conditions, from left to right."""
        return list(_conditions(self))

    def form(self) -> Form:
        """The part that is the same in all states: its operators, with a number for each condition."""
        numbers = iter(range(len(self.conditions())))

        def form(part: Any) -> Any:
            return (part.operator, *map(form, part.parts)) if isinstance(part, Formula) else next(numbers)

        found: Form = form(self)
        return found


REMEDY = "join formulas with &, |, ~ and implies(a, b); what holds in a state may be joined with `and` before"


def _conditions(part: Any) -> Iterator[Any]:
    if not isinstance(part, Formula):
        yield part
        return
    for each in part.parts:
        yield from _conditions(each)


def always(what: Any) -> Formula:
    """The formula that `what` holds now and in every later state ([]P).

    `what` is a condition or a formula. Only in the formula of a @temporal method.

        @temporal
        def gets_busy_again(self) -> Formula:
            return always(eventually(self.busy))
    """
    return Formula(ALWAYS, (what,))


def until(what: Any, then: Any) -> Formula:
    """The formula that `then` holds now or later, and `what` in every state before (strong until).

    Both are conditions or formulas. Only in the formula of a @temporal method.

        @temporal
        def busy_comes_first(self) -> Formula:
            return until(self.count == 0, self.busy)
    """
    return Formula(UNTIL, (what, then))


def antecedents(form: Any) -> Iterator[int]:
    """The conditions that are left sides of implications, by number."""
    if isinstance(form, tuple):
        if form[0] == IMPLIES and isinstance(form[1], int):
            yield form[1]
        for part in form[1:]:
            yield from antecedents(part)


def is_formula(*parts: Any) -> bool:
    """Whether one of some parts is a formula."""
    return any(isinstance(part, Formula) for part in parts)


def only_form(forms: Iterable[Form], name: str, where: Where | None) -> Form:
    """The form of a formula in all states; E238 where there are several. One that always fails has no conditions."""
    found = list(dict.fromkeys(forms))
    if len(found) > 1:
        raise EverystateError("E238", where, name=name)
    return found[0] if found else (AND,)


def count_conditions(form: Any) -> int:
    """How many conditions a form joins."""
    return sum(map(count_conditions, form[1:])) if isinstance(form, tuple) else 1
