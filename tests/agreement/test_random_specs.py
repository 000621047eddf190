"""Random specs: the concrete run, the interpreter and machine code agree on every successor and property."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from everystate.checker.errors import EverystateError
from everystate.checker.ir import explorer

from .dice import drawn
from .long import MAX_PATHS
from .readers import Tally, agree, load
from .source import write

SPECS = 900


@st.composite
def sources(draw: Any) -> str:
    """The source text of a random spec."""
    return write(drawn(draw))


def test_all_readers_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """also: nearly all of them can be traced, they fail now and then, and they reach much"""
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
    total = Tally()

    @settings(
        max_examples=SPECS,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(sources())
    def compare(source: str) -> None:
        try:
            total.add(agree(load(source, tmp_path), level=2 if len(source) % 4 == 0 else 0))
        except EverystateError as error:
            total.add(Tally(untraced={error.code: 1}))

    compare()
    assert sum(total.untraced.values()) <= 0.05 * total.specs, str(total)
    assert min(total.successors, total.verdicts) > 10 * total.specs and total.errors > total.specs, str(total)
