"""States that are stored whole: their words are the record in the arena."""

from __future__ import annotations

from typing import Any

from .builder import I1, Function
from .calls import Calls
from .context import Context
from .instructions import Module


class Plain:
    """How states are stored. A look-up compares the mark of a state, of `mark_words` words."""

    def __init__(self, calls: Calls, module: Module) -> None:
        self.calls, self.module, self.words = calls, module, calls.words
        self.mark_words = calls.program.key_words

    @property
    def constrained_last(self) -> bool:
        """Whether the constraint is checked only for successors that are not stored, as all stored states satisfy it.
        Not with a view, because a state outside may share its key with a stored one."""
        return not self.calls.program.viewed

    def record(self, fn: Function, context: Context, words: list[Any], position: Any) -> list[Any]:
        """Emit: what is computed and kept of the successor at a position before the look-up."""
        return words

    def made(self, fn: Function, context: Context, words: list[Any]) -> list[Any]:
        """Emit: what would be stored of a state that is no successor of the batch."""
        return words

    def stored(self, fn: Function, context: Context, words: list[Any], record: list[Any]) -> list[Any]:
        """Emit: what is stored of a new state."""
        return record

    def mark(self, fn: Function, words: list[Any], record: list[Any]) -> list[Any]:
        """Emit: the words of a state that a look-up compares."""
        return self.calls.key(fn, words)

    def marks(self, context: Context) -> Any:
        """Emit: the arena of marks."""
        return context.array("keys")

    def key(self, fn: Function, context: Context, index: Any) -> list[Any]:
        """Emit: the words of a stored state that are hashed."""
        return fn.words(context.array("keys"), index, self.calls.program.key_words)

    def rows(self, fn: Function, context: Context, start: Any, size: Any) -> Any:
        """Emit: the words of so many stored states."""
        return fn.at(context.array("states"), fn.b.mul(start, fn.const(self.words)))

    def before_insertion(self, fn: Function, context: Context, count: Any) -> None:
        """Emit: the preparation of a batch of successors before they are looked up."""

    def before_receiving(self, fn: Function, context: Context, states: Any, count: Any) -> None:
        """Emit: the same for states that come from elsewhere."""

    def full(self, fn: Function, context: Context) -> Any:
        """Emit: whether something must grow before another batch."""
        return fn.const(0, I1)
