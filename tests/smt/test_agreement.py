"""z3 finds the successors that the interpreter computes: shipped specs and random ones."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker.backends.smt import BITS, INTEGERS
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer, model
from everystate.specs.idem_producer import IdempotentProducer
from tests.agreement.readers import MAX_PATHS, load
from tests.agreement.test_random_specs import sources
from tests.selection import quick

from .successors import compare

CLASSICS = Path(__file__).parents[2] / "specs" / "classics"
ROWS: dict[str, dict[str, Any]] = {
    row["target"]: row for row in tomllib.loads((CLASSICS / "oracles.toml").read_text())["row"] if row.get("small")
}
SPECS = 40


@pytest.mark.parametrize("arithmetic", [BITS, INTEGERS], ids=lambda a: a.name)
def test_every_successor_of_the_peer_model(arithmetic: Any) -> None:
    traced = model.build(IdempotentProducer(batches=3, max_in_flight=3, window=2))
    assert compare(traced, 12, arithmetic) > 12


@pytest.mark.parametrize("target", ROWS)
def test_every_successor_of_the_classics(target: str) -> None:
    module, cls = target.split(":")
    spec = getattr(importlib.import_module(module), cls)(**ROWS[target].get("constants", {}))
    assert compare(model.build(spec), 6) > 0


@pytest.mark.parametrize("wide", quick([False], [False, True]), ids=["small", "wide"])
def test_every_successor_of_random_specs(wide: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """wide: numbers reach the edges of a machine word, and what does not fit one is refused"""
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
    counted = {"specs": 0, "successors": 0}

    @settings(
        max_examples=SPECS,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(sources(wide))
    def check(source: str) -> None:
        try:
            traced = model.build(load(source, tmp_path))
        except EverystateError:
            return
        counted["specs"] += 1
        counted["successors"] += compare(traced, 4)

    check()
    assert counted["specs"] > (0.6 if wide else 0.9) * SPECS and counted["successors"] > 4 * SPECS, counted
