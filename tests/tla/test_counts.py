"""The counts of TLC: translations of small modules have as many distinct and generated states as direct evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate import check
from everystate.checker.cli.targets import resolve
from everystate.checker.results.verdict import Verdict
from everystate.checker.tla.evaluator import Evaluator
from everystate.checker.tla.parts import init_and_next
from everystate.checker.tla.scopes import Model
from everystate.checker.tla.states import explored

MODELS = Path(__file__).parent / "models"
COUNTS = {"Ferry": (16, 35, 5), "Post": (1120, 2641, 21)}
"""Distinct states, generated states, and the depth that TLC prints."""


@pytest.mark.parametrize("name", COUNTS)
def test_equal_counts(name: str) -> None:
    target = resolve(str(MODELS / f"{name}.tla"))
    found = check(target.spec())
    model = Model(MODELS / f"{name}.tla", MODELS / f"{name}.cfg")
    states, generated, depth = explored(Evaluator(model), *init_and_next(model), model.root, 100_000)
    assert (found.distinct, found.generated) == (len(states), generated)
    assert (found.distinct, found.generated, found.depth) == COUNTS[name]
    assert depth <= found.depth


def test_a_property_that_is_not_translated_is_not_proved() -> None:
    """Lower steps by one and Upper by two, so the refinement is even false."""
    found = check(resolve(str(MODELS / "Lower.tla")).spec())
    assert (found.verdict, found.distinct) == (Verdict.UNDECIDED, 4)
    assert found.result.conditions.unjudged.keys() == {"Refines"}
