"""What the cross-check covered: how many paths of the actions plain Python has executed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .text import count


@dataclass(frozen=True)
class PathCoverage:
    """The paths of action instances: those that plain Python executed, all that states take, and by the name of each
    action how many no state takes, of how many."""

    executed: int
    taken: int
    untaken: dict[str, tuple[int, int]] = field(default_factory=dict)
    merged: tuple[int, int] | None = None
    """Of conditions that were merged: the outcomes that were executed, and all; None where they were not looked for."""

    @property
    def complete(self) -> bool:
        """Whether every path that states take was executed."""
        return self.executed == self.taken

    @property
    def statement(self) -> str:
        """How many of the paths that states take were executed."""
        return f"{self.executed:,} of {count(self.taken, 'path')}"

    def details(self) -> Iterator[str]:
        """The merged conditions, and the actions with paths that no state takes: code that never runs."""
        if self.merged is not None:
            some, every = self.merged
            yield f"{some:,} of {every:,} outcomes of merged conditions"
        for name, (none, whole) in self.untaken.items():
            if none:
                yield f"no state takes {none:,} of {count(whole, 'path')} of {name}"

    def report(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "executed": self.executed,
            "taken": self.taken,
            "never_taken": {name: none for name, (none, _) in self.untaken.items() if none},
            **({"outcomes_executed": self.merged[0], "outcomes": self.merged[1]} if self.merged else {}),
        }
