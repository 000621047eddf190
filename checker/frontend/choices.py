"""What choose() and iterables of choices offer: the alternatives, each with the condition under which it is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir.elements import Elements
from ..ir.expr import Expr
from ..ir.optional import OptionalValue
from ..ir.state_value import StateValue
from ..language.domains import alternatives, chosen, classes, options, unchanging
from .conditional_elements import ConditionalElements
from .outcomes import Given

Alternative = tuple[Expr, Callable[[], Any]]
"""When it exists, and what reads it."""


class Choices:
    """The alternatives of the choices of one tracer."""

    def __init__(self, tracer: Any) -> None:
        self._tracer, self._pool = tracer, tracer.pool

    def of(self, given: Any) -> tuple[Sequence[Any], Callable[[int], Alternative]]:
        """Labels, and the alternative at each position; of equal values all but the first are left out."""
        if issubclass(type(given), StateValue) and given._apart:
            some = given._guarded()
            return given._labels(len(some)), some.__getitem__
        if type(given) is ConditionalElements:
            items: list[Alternative] = [(exists, Given(value)) for exists, value in given.pieces()]
            if self.last(given):
                return range(len(items)), self._known_apart(items).__getitem__
        elif isinstance(given, Elements):
            items = given._guarded()
        elif self._tracer.operations.depends(given):
            items = [(self._pool.true, Given(member)) for member in alternatives(given)]
        else:
            members = options(given, references=True)
            return members, lambda i: (self._pool.true, Given(members[i]))
        # an element of a Seq is there only where those before it are
        orderly = type(given) is not ConditionalElements

        def apart(i: int) -> Alternative:
            """An element exists as an alternative unless it is a value, and one before it is equal."""
            exists, read = items[i]
            value = read()
            if not unchanging(_bare(value)):
                return exists, read
            with self._tracer.comparisons.unnoted():
                earlier = [
                    self._pool.and_((self._pool.true if orderly else there, self._alike(other(), value)))
                    for there, other in items[:i]
                ]
            return self._pool.and_((exists, self._pool.not_(self._pool.or_(earlier)))), read

        return range(len(items)), apart

    def _alike(self, one: Any, other: Any) -> Expr:
        """Whether two values are equal and of one class, so that 1 and True are two alternatives."""
        equal: Callable[[Any, Any], Expr] = self._tracer.equal
        if classes(_bare(one)) == classes(_bare(other)):
            return equal(one, other)
        both_none: Expr = self._pool.and_((equal(one, None), equal(other, None)))
        return both_none

    def last(self, given: Any) -> bool:
        """Whether alternatives are values that do not depend on the state, so that the next path can have the same."""
        if issubclass(type(given), StateValue) and given._constant:
            return True
        return type(given) is ConditionalElements and all(
            unchanging(value) and not self._tracer.operations.depends(value) for _, value in given.pieces()
        )

    def _known_apart(self, items: list[Alternative]) -> list[Alternative]:
        """Known values as alternatives: of equal ones the first that exists."""
        earlier, found = dict[Any, Expr](), list[Alternative]()
        for exists, read in items:
            key = chosen(read(), 0)
            before = earlier.get(key, self._pool.false)
            found.append((self._pool.and_((exists, self._pool.not_(before))), read))
            earlier[key] = self._pool.or_((before, exists))
        return found


def _bare(value: Any) -> Any:
    """A value where it is not None."""
    return value.value if type(value) is OptionalValue else value
