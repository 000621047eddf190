"""Direct forms of builtins: tried first, and given up where an element writes something that existed before.

`any` and `all` evaluate all elements at once, so that their terms can be shared. That is what Python does as long as no
element has an effect. The builtin that is written in Python (`builtins`) is exact in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .branching import Effect


class Attempts:
    """The direct forms that are being tried on one path."""

    def __init__(self, operations: Any) -> None:
        self._operations = operations
        self._effects = set[Any]()
        """Where lazy iterables are written whose elements have effects."""
        self.begin()

    def begin(self) -> None:
        """A path begins."""
        self._starts: list[int] = []
        self._born: dict[int, int] = {}
        self._kept: list[Any] = []

    def created(self, *values: Any) -> None:
        """Values were created, so writing them has no effect on what existed before."""
        if self._starts:
            for value in values:
                self._born[id(value)] = len(self._kept)
                self._kept.append(value)

    def touched(self, value: Any) -> None:
        """A value is about to be written."""
        if self._starts and self._born.get(id(value), -1) < self._starts[-1]:
            raise Effect

    def directly(self, site: Any, run: Callable[[], Any], exactly: Callable[[], Any]) -> Any:
        """The result of a direct form; that of the exact one where an element has an effect."""
        if site in self._effects:
            return exactly()
        branching = self._operations.branching
        state = branching.state()
        self._starts.append(len(self._kept))
        branching.journal.touched = self.touched
        try:
            return run()
        except Effect:
            self._effects.add(site)
        finally:
            self._starts.pop()
            branching.journal.touched = self.touched if self._starts else None
        branching.restore(state)
        return exactly()
