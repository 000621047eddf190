"""Collections whose elements exist under conditions: the result of a filtered comprehension, or of a Seq of the
state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.expr import Expr
from ..language.values import called

Piece = tuple[Expr, Any]
"""When an element exists, and its value."""


@called("generator")
class Generator:
    """A generator expression: its pieces are made when it is iterated, once."""

    def __init__(self, make: Callable[[], list[Piece]]) -> None:
        self._make: Callable[[], list[Piece]] | None = make

    def pieces(self) -> list[Piece]:
        """Its elements; none when it was iterated before."""
        make = self._make
        self.spend()
        return [] if make is None else make()

    def spend(self) -> None:
        """It was iterated."""
        self._make = None


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
    """What enumerate() makes of a Seq of the state."""

    def __init__(self, items: Any, start: Any) -> None:
        self.items, self.start = items, start


@called("text")
class Text:
    """A string made of values of the state, which are still symbolic."""

    def __init__(self, make: Callable[[], str]) -> None:
        self.make = make
