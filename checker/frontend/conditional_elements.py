"""What lifted code makes of values of the state: collections with conditional elements, iterators, and texts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from ..ir.expr import Expr
from ..ir.state_value import Item, StateValue
from ..language.values import called
from .outcomes import Given

Piece = tuple[Expr, Any]
"""When an element exists, and its value."""
Step = Callable[[Iterator[Any], Any], Any]
"""What handles one item, which a list of one holds, and calls its second argument for each element."""


class NEW:
    """The state of a generator that was not used yet."""


class SPENT:
    """The state of a generator that has no more elements."""


@called("generator")
class Generator(StateValue):
    """A lazy iterator, in the form of what it goes over and what one item leads to.

    If it is used once and as a whole, its user goes over the same items, so that conditions are merged. Otherwise it
    has a position: it becomes an iterator of Python, and conditions split the path.
    """

    def __init__(self, operations: Any, over: Any, begin: Callable[[], Step], site: Any, once: bool = False) -> None:
        self._operations, self.over, self.begin, self.site, self.once = operations, over, begin, site, once
        self.state: Any = NEW
        self.unchanged = operations.unchanged(over)

    def _truth(self) -> Expr:
        true: Expr = self._operations.pool.true
        return true

    def _resolved(self) -> Any:
        return ConditionalElements(self._operations, self._operations.pieces_of(self))._resolved()


def is_iterator(value: Any) -> bool:
    """Whether a value is an iterator: used once, and lazy."""
    return type(value) is Generator or hasattr(type(value), "__next__")


class Numbered(StateValue):
    """The elements of something that has a length, each with its number."""

    def __init__(self, operations: Any, items: Any, start: Any) -> None:
        self._operations, self._items, self._start = operations, items, start

    def _in_turn(self) -> Iterator[Item]:
        for i, (exists, read) in enumerate(self._operations.each(self._items)):
            number = self._operations.binary("add", self._start, i)
            yield exists, lambda number=number, read=read: (number, read())  # type: ignore[misc]


def _backwards(operations: Any, items: list[Any], at: int) -> Iterator[Item]:
    """The first elements of a list, from the last of them on, until one is no longer there."""
    while 0 < at <= len(items):
        at -= 1
        yield Given(operations.pool.true), Given(items[at])


class Reversed(StateValue):
    """The elements of a list from the last one on: as they are when their turn comes."""

    def __init__(self, operations: Any, items: Any) -> None:
        self._operations, self._items = operations, items
        self._size: Any = len(items) if type(items) is list else items._length()

    def _in_turn(self) -> Iterator[Item]:
        if type(self._items) is list:
            yield from _backwards(self._operations, self._items, self._size)
        elif isinstance(self._items, ConditionalElements):
            yield from self._items._backwards()
        else:
            yield from self._of_state()

    def _of_state(self) -> Iterator[Item]:
        items, pool, going = self._items, self._operations.pool, self._operations.pool.true

        def exists(i: int) -> Expr:
            nonlocal going
            within = pool.lt(pool.const(i), self._size)
            going = pool.and_((going, pool.or_((pool.not_(within), items._reaches(pool.const(i))))))
            found: Expr = pool.and_((within, going))
            return found

        for i in reversed(range(items._slots())):
            yield functools.partial(exists, i), functools.partial(items.__getitem__, i)


class Counting(StateValue):
    """What itertools.count() makes: numbers without an end."""

    def __init__(self, operations: Any, start: Any, step: Any) -> None:
        self._operations, self._start, self._step = operations, start, step

    def _in_turn(self) -> Iterator[Item]:
        value, always = self._start, Given(self._operations.pool.true)
        while True:
            yield always, Given(value)
            value = self._operations.binary("add", value, self._step)


@called("text")
class Text(StateValue):
    """A string made of values of the state, which are still symbolic."""

    def __init__(self, operations: Any, make: Callable[[], str]) -> None:
        self._operations, self._make = operations, make

    def _settled(self) -> str:
        return self._make()

    _resolved = _settled

    def _truth(self) -> Expr:
        found: Expr = self._operations.pool.truth(bool(self._make()))
        return found

    def _length(self) -> Expr:
        found: Expr = self._operations.pool.const(len(self._make()))
        return found

    def _in_turn(self) -> Iterator[Item]:
        for character in self._make():
            yield Given(self._operations.pool.true), Given(character)

    def _has(self, item: Any) -> bool:
        return self._operations.plain(item) in self._make()

    def __eq__(self, other: object) -> Any:
        return self._operations.eq(self._make(), other)

    __hash__ = None  # type: ignore[assignment]


class Element:
    """The last of some elements, with the condition under which it exists; `before` are the others."""

    __slots__ = ("before", "exists", "number", "value")

    def __init__(self, before: Element | None, exists: Expr | None, value: Any) -> None:
        self.before, self.exists, self.value = before, exists, value
        self.number: int = 0 if before is None else before.number + 1

    def pieces(self) -> list[Piece]:
        """All elements in order."""
        found, at = list[Piece](), self
        while at.before is not None:
            assert at.exists is not None
            found.append((at.exists, at.value))
            at = at.before
        return found[::-1]

    def and_those_of(self, other: Element) -> Element:
        """These elements, then those of another one that began with the same: each exists on one side only."""
        more, mine, theirs = list[Element](), self, other
        while mine is not theirs:
            if mine.number > theirs.number:
                mine = mine.before or mine
            else:
                more.append(theirs)
                theirs = theirs.before or theirs
        made = self
        for one in reversed(more):
            made = Element(made, one.exists, one.value)
        return made


@called("list")
class ConditionalElements(StateValue):
    """The elements, in order, of a list or set of which some may not exist.

    A change, or an operation that needs a collection of Python, makes it `whole`: from then on it is that collection.
    """

    def __init__(self, operations: Any, pieces: list[Piece], kind: type = list) -> None:
        self._operations, self._pieces, self.kind = operations, pieces, kind
        self.whole: Any = None

    def pieces(self) -> list[Piece]:
        """The elements, each with the condition under which it exists."""
        return self._pieces if self.whole is None else [(self._operations.pool.true, value) for value in self.whole]

    def growth(self) -> Callable[[], Expr]:
        """A function that returns how much larger the set is than now. Once it has changed, its size is known."""
        pool, size = self._operations.pool, None if self.whole is None else len(self.whole)

        def grown() -> Expr:
            if self.whole is None:
                return pool.const(0)  # type: ignore[no-any-return]
            some = (value for exists, value in self._pieces if self._operations.branching.decide(exists))
            before = len(set(map(self._operations.key, some))) if size is None else size
            return pool.const(len(self.whole) - before)  # type: ignore[no-any-return]

        return grown

    def is_set(self) -> bool:
        """Whether it is a set whose members exist under conditions."""
        return self.kind is set and self.whole is None

    def _truth(self) -> Expr:
        return self._operations.pool.or_([exists for exists, _ in self.pieces()])  # type: ignore[no-any-return]

    def _length(self) -> Expr:
        return self._operations.pool.count([exists for exists, _ in self.pieces()])  # type: ignore[no-any-return]

    def _in_turn(self) -> Iterator[Item]:
        """A change makes it a list of Python, in which a loop continues at its place. No loop changes a set."""
        if self.kind is set:
            for exists, value in self.pieces():
                yield Given(exists), Given(value)
            return
        done = 0
        for exists, value in self._pieces if self.whole is None else ():
            yield Given(exists), Given(value)
            done += 1
            if self.whole is not None:
                break
        at = 0 if self.whole is None else self._before(done)
        while self.whole is not None and at < len(self.whole):
            yield Given(self._operations.pool.true), Given(self.whole[at])
            at += 1

    def _backwards(self) -> Iterator[Item]:
        """The same from the last element on."""
        left = len(self._pieces)
        for exists, value in reversed(self._pieces) if self.whole is None else ():
            yield Given(exists), Given(value)
            left -= 1
            if self.whole is not None:
                break
        if self.whole is not None:
            yield from _backwards(self._operations, self.whole, self._before(left))

    def _before(self, number: int) -> int:
        """How many of the first elements exist, once it is whole."""
        return sum(self._operations.branching.decide(exists) for exists, _ in self._pieces[:number])

    def _settled(self) -> Any:
        operations = self._operations
        if self.whole is None:
            found = [value for exists, value in self._pieces if operations.branching.decide(exists)]
            operations.journal.note(self.__dict__, "whole")
            self.whole = operations.own(set(map(operations.key, found)) if self.kind is set else found)
        return self.whole

    _resolved = _settled

    def __eq__(self, other: object) -> Any:
        return self._operations.eq(self._settled(), other)

    __hash__ = None  # type: ignore[assignment]
