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
COUNTS = {"Ferry": (16, 35, 5), "Post": (1120, 2641, 21), "Boxes": (9, 26, 3)}
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


def test_a_false_refinement_is_violated() -> None:
    """Lower steps by one and Upper by two."""
    found = check(resolve(str(MODELS / "Lower.tla")).spec())
    assert (found.verdict, found.distinct) == (Verdict.VIOLATED, 4)
    assert [(v.property, v.length) for v in found.result.violations] == [("Refines", 1)]


@pytest.mark.parametrize(
    ("init", "step", "verdict"),
    [("m = 0", "m' = m + 1", Verdict.PROVED), ("m = 1", "m' = m + 1", Verdict.VIOLATED)],
)
def test_a_refinement_is_about_the_initial_states_too(tmp_path: Path, init: str, step: str, verdict: Verdict) -> None:
    for name in ("Lower.tla", "Lower.cfg"):
        (tmp_path / name).write_text((MODELS / name).read_text())
    text = (MODELS / "Upper.tla").read_text()
    (tmp_path / "Upper.tla").write_text(text.replace("m = 0", init).replace("m' = m + 2", step))
    assert check(resolve(str(tmp_path / "Lower.tla")).spec()).verdict is verdict


def test_a_property_that_is_not_translated_is_not_proved(tmp_path: Path) -> None:
    """The fairness of Upper is no property that is checked."""
    for name in ("Lower.tla", "Lower.cfg"):
        (tmp_path / name).write_text((MODELS / name).read_text())
    text = (MODELS / "Upper.tla").read_text().replace("m + 2", "m + 1").replace("_m\n", "_m /\\ WF_m(Next)\n")
    (tmp_path / "Upper.tla").write_text(text)
    found = check(resolve(str(tmp_path / "Lower.tla")).spec())
    assert (found.verdict, found.distinct) == (Verdict.UNDECIDED, 4)
    assert found.result.conditions.unjudged.keys() == {"Refines_2"}


def test_brackets_of_arithmetic_are_kept() -> None:
    """The values of a translated expression are those of direct evaluation: a value that is off is another state."""
    path = MODELS / "Arith.tla"
    model = Model(path, path.with_suffix(".cfg"))
    states, generated, _ = explored(Evaluator(model), *init_and_next(model), model.root, 100_000)
    found = check(resolve(str(path)).spec())
    assert (found.verdict, found.distinct, found.generated) == (Verdict.PROVED, len(states), generated)
