"""Random bodies of everyday Python: machine code, the spec as plain Python and CPython agree on every step."""

from __future__ import annotations

from pathlib import Path

import pytest

from .running import Tally, run

SEEDS = (1,)


@pytest.mark.parametrize("seed", SEEDS)
def test_everyday_python_means_the_same(seed: int, tmp_path: Path) -> None:
    """also: nearly all bodies are compiled, and they reach much"""
    total = Tally()
    for found in run(seed, tmp_path, 60):
        total.count(found.verdict)
        assert found.verdict.kind != "differs", found.smallest(tmp_path).spec(tmp_path)
    assert total.refused.total() <= 2 and total.successors > 30 * total.bodies, str(total)
