"""Collections whose elements exist under conditions: the result of a filtered comprehension, or of a Seq of the
state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..ir.expr import Expr
from ..language.values import called

Piece = tuple[Expr, Any]
"""When an element exists, and its value."""
Step = Callable[[Iterator[Any], Any], Any]
"""What handles one item, which a list of one holds, and calls its second argument for each element."""


class NEW:
    """The state of a generator that was not used yet."""


class SPENT:
    """The state of a generator that has no more elements."""


@called("generator")
class Generator:
    """A lazy iterator, in the form of what it goes over and what one item leads to.

    If it is used once and as a whole, its user goes over the same items, so that conditions are merged. Otherwise it
    has a position: it becomes an iterator of Python, and conditions split the path.
    """

    def __init__(self, over: Any, begin: Callable[[], Step], site: Any, once: bool = False) -> None:
        self.over, self.begin, self.site, self.once = over, begin, site, once
        self.state: Any = NEW


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
class ConditionalElements:
    """The elements, in order, of a list or set of which some may not exist.

    A change, or an operation that needs a collection of Python, makes it `whole`: from then on it is that collection.
    """

    def __init__(self, pieces: list[Piece], kind: type = list) -> None:
        self._pieces, self.kind = pieces, kind
        self.whole: Any = None

    def pieces(self, always: Expr) -> list[Piece]:
        """The elements, each with the condition under which it exists."""
        return self._pieces if self.whole is None else [(always, value) for value in self.whole]


class Numbered:
    """The elements of something that has a length, each with its number."""

    def __init__(self, items: Any, start: Any) -> None:
        self.items, self.start = items, start


class Counting:
    """What itertools.count() makes: numbers without an end."""

    def __init__(self, start: Any, step: Any) -> None:
        self.start, self.step = start, step


@called("text")
class Text:
    """A string made of values of the state, which are still symbolic."""

    def __init__(self, make: Callable[[], str]) -> None:
        self.make = make
