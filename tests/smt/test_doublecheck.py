"""Wrong formulas are planted, and a proof notices (E217)."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker.backends.smt import INTEGERS
from everystate.checker.backends.smt.arithmetic import BitVectors
from everystate.checker.engines.doublecheck.doublecheck import VARIABLE
from everystate.checker.engines.symbolic import bounded, inductive
from everystate.checker.engines.symbolic.search import Question, Search
from everystate.checker.errors import EverystateError
from everystate.checker.ir import model
from everystate.specs.idem_producer import IdempotentProducer
from tests.planted import PLANTED, Everything

SAID = {
    "an assignment": "up does something else on symbols than on values: n becomes 2 on symbols, 8 on values",
    "a guard": "up does something else on symbols than on values: 0 successors on symbols, 1 successor on values",
    "an error of an action": "divides does something else on symbols than on values: 0 successors and a failure on",
    "an invariant": "small does something else on symbols than on values: it is False on symbols, True on values",
    "a step invariant": "near does something else on symbols than on values: it is False on symbols, True on values",
    "a goal": "full does something else on symbols than on values: it is True on symbols, False on values",
    "a constraint": "within does something else on symbols than on values: it is False on symbols, True on values",
    "an error of an invariant": "quotient does something else on symbols than on values: it fails on symbols, is True",
}


@pytest.fixture(autouse=True)
def as_many_as_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.parametrize("name", SAID)
def test_wrong_formulas_are_noticed_in(name: str) -> None:
    """before the depth at which the wrong state is reached is searched, so the verdict would be BOUNDED"""
    cls, plant, _, _ = PLANTED[name]
    planted = plant(model.build(cls()))
    search = Search([planted], Question(20), bounded.Silent())
    with pytest.raises(EverystateError, match="E217") as found:
        search.doublecheck()
    assert found.value.what.startswith(SAID[name])


@pytest.mark.parametrize("arithmetic", [None, INTEGERS], ids=["bits", "integers"])
def test_right_formulas_are_evaluated_on_as_many_states(arithmetic: Any) -> None:
    more = {} if arithmetic is None else {"arithmetic": arithmetic}
    assert bounded.check(model.build(Everything()), Question(12, **more)).doublechecked == 22
    found = bounded.check(model.build(IdempotentProducer(batches=2)), Question(6, doublecheck=30, **more))
    assert found.doublechecked == 30


def test_a_proof_by_induction_is_doubted_once() -> None:
    found = inductive.prove(model.build(Everything()), Question(20), 2)
    assert found.result.doublechecked == 40


def test_wrong_arithmetic_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = BitVectors.combine

    def combine(self: Any, op: str, a: Any, b: Any, of: Any) -> Any:
        return plain(self, "sub" if op == "add" else op, a, b, of)

    monkeypatch.setattr(BitVectors, "combine", combine)
    with pytest.raises(EverystateError, match="E217 up does something else on symbols than on values"):
        bounded.check(model.build(Everything()), Question(3))
