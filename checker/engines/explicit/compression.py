"""Decides when to compress the states of a search: on request from some number on, and when memory is short."""

from __future__ import annotations

import numpy as np

from ...backends.native.tiered_code import TieredCode
from . import groups
from .store import Ranges, Store, evenly, size

FROM = 1 << 16
"""States from which on requested compression is tried: fewer take no memory and give too small a sample."""
AGAIN = 4
"""If it did not pay, it is tried again when there are so many times as many."""


class Compression:
    """Compresses the states of a store, with machine code generated for that."""

    def __init__(self, store: Store, asked: bool) -> None:
        self.store = store
        self._due = FROM if asked else None

    def due(self, distinct: int) -> bool:
        """Whether compression was requested, and it is time to try."""
        return self._due is not None and distinct >= self._due and self.store.part_tables is None

    def compress(self, tiers: TieredCode, levels: list[Ranges], slack: int) -> TieredCode | None:
        """Compress the store; returns the code for compressed states, or None where they would not be smaller."""
        ranges = [part for level in levels for part in level]
        sample = np.array([*evenly(self.store, ranges, groups.sample_size(self.store.words))], np.uint64)
        chosen = groups.choose(sample.reshape(-1, self.store.words), size(ranges))
        self._due = None if chosen is not None or self._due is None else AGAIN * size(ranges)
        if chosen is None:
            return None
        made = tiers.compressed(chosen)
        code = made.first()
        self.store.compress(code)
        if not self.store.fits(chosen, slack):
            made.close(tiers)
            return self.widen(tiers, slack)
        self.store.lay(code, slack)
        return made

    def widen(self, tiers: TieredCode, slack: int) -> TieredCode:
        """Give the roots of the store as many words as they need now; returns the code for that."""
        assert self.store.part_tables is not None
        made = tiers.compressed(self.store.part_tables.fitted(slack))
        self.store.lay(made.first(), slack)
        return made
