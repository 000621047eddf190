"""The invariants of a spec in the states that explain a log: violated in all of them, or in some."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..ir.traced import Model
from ..language import marks
from ..language.concrete import holds
from ..language.state import State
from .candidates import Frontier
from .events import Place

MOST = 200
"""States after an event, at most, in which the invariants are evaluated; an event with more is counted as left out."""
ALTOGETHER = 20_000
"""States in which they are evaluated, in one run."""


@dataclass
class Invariants:
    """What is violated after which event: `certain` in every state that explains the log, `possible` in some."""

    model: Model
    certain: dict[str, Place] = field(default_factory=dict)
    possible: dict[str, Place] = field(default_factory=dict)
    left_out: int = 0
    """Events after which there were too many states."""
    _known: dict[bytes, frozenset[str]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The invariants of the spec."""
        return [p.name for p in self.model.spec.properties if p.kind == marks.INVARIANT and not p.steps]

    def look(self, front: Frontier, place: Place | None) -> None:
        """The states right after an event."""
        if place is None or not (set(self.names) - set(self.certain)):
            return
        rows = [row for layers in front.layers.values() for row in layers[0]]
        if len(rows) > MOST or len(self._known) > ALTOGETHER:
            self.left_out += 1
            return
        violated = [self._violated(row) for row in rows]
        for name in sorted(frozenset[str]().union(*violated)):
            self.possible.setdefault(name, place)
        for name in sorted(frozenset(self.names).intersection(*violated)):
            self.certain.setdefault(name, place)

    def _violated(self, row: Any) -> frozenset[str]:
        key = row.tobytes()
        if key not in self._known:
            spec, state = self.model.spec, State(self.model.spec.domains, self.model.layout.unpack(row.tolist()))
            self._known[key] = frozenset(name for name in self.names if not holds(spec, name, state))
        return self._known[key]
