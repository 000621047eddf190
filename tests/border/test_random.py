"""Random hostile specs: refused, or exactly the verdict, counts and lengths of plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from .generator import spec
from .long import Tally, compare, without_doublecheck

SPECS = 60


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_random_hostile_specs_are_refused_or_mean_what_they_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_doublecheck(monkeypatch.setattr)
    tally = Tally()
    for seed in range(SPECS):
        tally.add(compare(spec(seed), tmp_path))
    assert not tally.different, tally.different
    assert tally.same > SPECS // 2, tally


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_a_planted_hole_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were symbols to answer `…` for their texts, as they once did, these specs would tell."""
    without_doublecheck(monkeypatch.setattr)
    monkeypatch.setattr("everystate.checker.ir.symbols.only_told", lambda *_: True)
    tally = Tally()
    seed = 0
    while not tally.different and seed < SPECS:
        tally.add(compare(spec(seed), tmp_path))
        seed += 1
    assert tally.different
