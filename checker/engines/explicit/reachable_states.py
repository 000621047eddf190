"""Lists the reachable states, level by level."""

from __future__ import annotations

from collections.abc import Iterator

from ...backends.native.tiered_code import TieredCode
from ...ir.traced import Model
from ..limits import Limits
from ..observer import unheard
from ..symmetry import reduced
from .exhaustive import Exhaustive
from .findings import Findings
from .history import History


class Visit(Exhaustive):
    """A search whose result is its history: it checks no properties and makes no traces."""

    def history(self) -> History:
        """The levels; an interrupt is raised to the caller."""
        self.tiers = TieredCode(self.program, unheard)
        try:
            self._allocate(self.tiers.first())
            findings = Findings(self.program, self.limits.deadlock)
            try:
                self._initial(self.compiled, findings)
                self._levels(findings)
            finally:
                self.pool.shutdown()
        finally:
            self.tiers.close()
        return History(self.compiled, self.store, self.levels, self.unfinished)


def visited(model: Model, limits: Limits) -> Iterator[tuple[int, ...]]:
    """The cells of each state that a search within limits visits; with one worker always in the same order."""
    history = Visit(reduced(model), limits).history()
    for level in range(1, history.last + 1):
        for block in history.blocks(level):
            for row in block.tolist():
                yield model.layout.unpack(row)
