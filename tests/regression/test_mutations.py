"""The mutation test of the matrix: each deliberate mistake is caught, by the scenario that is about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.regression.matrix.judge import judge
from everystate.checker.regression.matrix.table import draw
from everystate.checker.regression.matrix.variants import Variant, read
from everystate.checker.regression.runners.job import run
from everystate.specs import registry
from tests.selection import quick

from .mistakes import MISTAKES, Mistake


@pytest.fixture(scope="module")
def variants() -> dict[str, Variant]:
    path = Path(registry.__file__).with_name("matrix.toml")
    return {variant.name: variant for variant in read(str(path), path.read_text(), registry.scenarios())}


@pytest.mark.parametrize("mistake", quick(MISTAKES[::2], MISTAKES), ids=lambda mistake: mistake.name)
def test_the_matrix_catches(mistake: Mistake, variants: dict[str, Variant], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mistake.cls, mistake.method, mistake.replacement)
    variant = variants[mistake.caught_by]
    assert "fast" in variant.tags
    row = judge(variant, run(variant.job(), load))
    told = draw([row])
    assert not row.good
    assert mistake.saying in told
    assert f"\n{variant.name}: {variant.title}\n" in told


def test_the_mistakes_are_different() -> None:
    assert len({mistake.name for mistake in MISTAKES}) == len(MISTAKES) == 20
