"""Quantifiers on symbols: what all_of, any_of, none_of and count say of their elements, as one term.

Each element is explored on its own and merged, so the ways of elements add instead of multiplying.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..border.generators import maker, ranged_over
from .collection import View, Walk
from .expr import Expr
from .machine import SymbolicMachine
from .sets import Subsets

Element = tuple[Expr, Callable[[], Any], Any]
"""When it exists, what reads it, and what a predicate is given: values that it must not change."""


def quantify(tracer: SymbolicMachine, kind: str, items: Iterable[Any], predicate: Callable[[Any], Any] | None) -> Any:
    """Whether all, any or none of the items pass, or how many do."""
    made = maker(items) if predicate is None else None
    if made is not None:
        over = ranged_over(items)  # type: ignore[arg-type]
        items.close()  # type: ignore[attr-defined]  # as it is in Python, once it has been read
        terms = [_said(tracer, kind, made, element) for element in _elements(tracer, over)]
    elif predicate is None and not isinstance(items, View):
        terms = [tracer.truth(item) for item in items]
    else:
        test = (lambda item: item) if predicate is None else predicate
        terms = [_tested(tracer, kind, test, *element) for element in _elements(tracer, items)]
    return joined(tracer, kind, terms)


def joined(tracer: SymbolicMachine, kind: str, terms: list[Expr]) -> Any:
    """What the terms of all elements say together."""
    pool = tracer.pool
    if kind == "count":
        truths, numbers = [t for t in terms if t.boolean], [t for t in terms if not t.boolean]
        return tracer.integer(functools.reduce(pool.add, numbers, pool.count(truths)))
    if kind == "all":
        return tracer.boolean(pool.and_(terms))
    found = pool.or_(terms)
    return tracer.boolean(found if kind == "any" else pool.not_(found))


def _elements(tracer: SymbolicMachine, items: Any) -> Iterator[Element]:
    guarded = items._guarded() if issubclass(type(items), (View, Walk, Subsets)) else None
    if guarded is None:
        for item in items:
            yield tracer.pool.true, lambda item=item: item, item  # type: ignore[misc]
    else:
        if isinstance(items, Walk):
            items.finish()
        for exists, read in guarded:
            if exists is not tracer.pool.false:
                yield exists, read, None


def _tested(
    tracer: SymbolicMachine, kind: str, test: Callable[[Any], Any], exists: Expr, read: Callable[[], Any], item: Any
) -> Expr:
    """Whether one element passes a predicate; one that does not exist counts as neutral."""
    neutral = kind == "all"
    return tracer.truth(tracer.nested(kind, lambda: test(read()) if tracer.decide(exists) else neutral, test))


def _said(tracer: SymbolicMachine, kind: str, made: Callable[[Any], Iterable[Any]], element: Element) -> Expr:
    """What a generator expression says of one element of its outermost loop: inner loops say several things of it,
    filters nothing."""
    exists, read, item = element
    some = "any" if kind == "none" else kind

    def said() -> Any:
        values = made(iter((read(),))) if tracer.decide(exists) else ()
        return joined(tracer, some, [tracer.truth(value) for value in values])

    value = tracer.tried(kind, said, made, item)
    if kind != "count":
        return tracer.truth(value)
    number = tracer.number(value)
    return tracer.pool.eq(number, tracer.pool.const(1)) if number.lo >= 0 and number.hi <= 1 else number
