"""Optimised code of all that a search has compiled, left in the cache: here, or in a tree of an earlier commit."""

from __future__ import annotations

from typing import Any

from everystate.checker.backends.native.compile import cached, keep, optimised


def leave_optimised(tiers: Any) -> None:
    """Optimise each text that is not optimised yet; until 7c68d6e a program had one, whatever its size."""
    halves = getattr(tiers, "halves", None)
    for text in [tiers.text] if halves is None else [text for half in halves for text in half.texts]:
        if cached(text) is None:
            keep(text, optimised(text))
