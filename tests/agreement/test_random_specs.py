"""Random specs: the concrete run, the interpreter and machine code agree on every successor and property."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from everystate.checker.backends.native import guarded_updates, interface
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer
from tests.selection import quick

from .dice import drawn
from .readers import MAX_PATHS, Tally, agree, load
from .source import write

PARTS = (1, 2, 3)
"""Seeds; each is a test of its own, so that processes share the work. Part 0 is a small one."""
SPECS, FEW = 200, 80
WIDE = 200


@st.composite
def sources(draw: Any, wide: bool = False) -> str:
    """The source text of a random spec."""
    return write(drawn(draw), wide)


def compared(part: int, specs: int, wide: bool, folder: Path, most: int = 30) -> Tally:
    """What the comparison of so many random specs counts, on so many states of each.

    hypothesis writes nearly every second one again.
    """
    total = Tally()
    passed: set[str] = set()

    @seed(part)
    @settings(
        max_examples=specs,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(sources(wide))
    def compare(source: str) -> None:
        if source in passed:
            return
        try:
            total.add(agree(load(source, folder), level=2 if len(source) % 8 == 0 else 0, most=most))
        except EverystateError as error:
            total.add(Tally(specs=1, untraced={error.code: 1}))
        passed.add(source)

    compare()
    return total


@pytest.mark.parametrize("part", quick((0,), (0, *PARTS)))
def test_all_readers_agree(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """also: nearly all of them can be traced, they fail now and then, and they reach much"""
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
    monkeypatch.setattr(interface, "MANY", 1)
    monkeypatch.setattr(guarded_updates, "DEAR", 2)
    monkeypatch.setattr(guarded_updates, "CHEAP", 1)
    total = compared(part, SPECS if part else FEW, False, tmp_path)
    assert sum(total.untraced.values()) <= 0.05 * total.specs, str(total)
    assert min(total.successors, total.verdicts) > 10 * total.specs and total.errors > total.specs, str(total)


@pytest.mark.thorough
def test_all_readers_agree_at_the_edges_of_a_machine_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """also: what does not fit one is refused, and that is not most of it"""
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
    monkeypatch.setattr(interface, "MANY", 1)
    total = compared(PARTS[0], WIDE, True, tmp_path)
    refused = total.untraced.pop("E215")
    assert 0 < refused <= 0.3 * total.specs, (refused, str(total))
    assert sum(total.untraced.values()) <= 0.05 * total.specs, str(total)
    assert min(total.successors, total.verdicts) > 10 * total.specs and total.errors > total.specs, str(total)
