"""The protocol of values that depend on the state: each kind answers for itself what Python asks of a value.

Kinds of a state are numbers, booleans, enum members (`symbols`), values that may be None (`optional`), sequences, sets
and maps (`elements`, `sets`, `maps`). What lifted code makes of them has the same protocol: collections whose elements
exist under conditions, iterators and texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .expr import Expr

Item = tuple[Callable[[], Expr], Callable[[], Any]]
"""An element: the condition under which it exists when its turn comes, and what reads it."""


class StateValue:
    """A value that depends on the state, while an action or property is executed on symbols."""

    __slots__ = ()
    _resized = ""
    """Python's error for a loop over it that adds or removes elements; empty where Python allows that."""

    _apart = False
    """Whether its elements differ from each other."""
    _constant = False
    """Whether its elements are known, and only depend on the state in whether they exist."""

    def _truth(self) -> Expr:
        """When Python takes it as true."""
        raise NotImplementedError

    def _length(self) -> Expr:
        """How many elements it has; TypeError for a kind that has none."""
        raise TypeError(f"object of type '{type(self).__name__}' has no len()")

    def _in_turn(self) -> Iterator[Item]:
        """Its elements, for a loop; TypeError for a kind that has none."""
        raise TypeError(f"'{type(self).__name__}' object is not iterable")

    def _has(self, item: Any) -> Any:
        """Whether something is an element; NotImplemented where its elements are compared one by one."""
        return NotImplemented

    def _settled(self) -> Any:
        """The value for an operation of Python: None and unfinished collections and texts are resolved."""
        return self

    def _resolved(self) -> Any:
        """A value that Python itself can take; the path splits on it, where that matters to Python."""
        return self

    def _copied(self) -> Any:
        """What copy.copy makes of it."""
        return self

    def _kept(self) -> Any:
        """The value as it is now, for a text that is made later."""
        return self
