"""States that are kept as they are: their words are the record in the arena."""

from __future__ import annotations

from typing import Any

from .builder import I1, Function
from .calls import Calls
from .context import Context
from .instructions import Module


class Plain:
    """How states are kept. What is compared when a state is looked up is its mark: of `mark_words` words."""

    def __init__(self, calls: Calls, module: Module) -> None:
        self.calls, self.module, self.words = calls, module, calls.words
        self.mark_words = calls.program.key_words

    @property
    def constrained_last(self) -> bool:
        """Whether only successors that are not stored are asked whether they are inside the constraint, as all stored
        states are: not with a view, which a state outside may share with one that is stored."""
        return not self.calls.program.viewed

    def record(self, fn: Function, context: Context, words: list[Any], position: Any) -> list[Any]:
        """Emit: what is known of the successor at a position before it is looked up, and kept."""
        return words

    def made(self, fn: Function, context: Context, words: list[Any]) -> list[Any]:
        """Emit: what would be kept of a state that is no successor of the batch."""
        return words

    def stored(self, fn: Function, context: Context, words: list[Any], record: list[Any]) -> list[Any]:
        """Emit: what is kept of a state that is new."""
        return record

    def mark(self, fn: Function, words: list[Any], record: list[Any]) -> list[Any]:
        """Emit: what is compared of a state."""
        return self.calls.key(fn, words)

    def marks(self, context: Context) -> Any:
        """Emit: the arena of marks."""
        return context.array("keys")

    def key(self, fn: Function, context: Context, index: Any) -> list[Any]:
        """Emit: the words of a stored state that are hashed."""
        return fn.words(context.array("keys"), index, self.calls.program.key_words)

    def rows(self, fn: Function, context: Context, start: Any, size: Any) -> Any:
        """Emit: where so many stored states are, as they are."""
        return fn.at(context.array("states"), fn.b.mul(start, fn.const(self.words)))

    def before_insertion(self, fn: Function, context: Context, count: Any) -> None:
        """Emit: what is to be done with so many successors of a batch before they are looked up."""

    def before_receiving(self, fn: Function, context: Context, states: Any, count: Any) -> None:
        """Emit: the same with so many states that come from elsewhere."""

    def full(self, fn: Function, context: Context) -> Any:
        """Emit: whether something must grow before another batch."""
        return fn.const(0, I1)
