"""Wrong formulas are planted, and a proof notices (E217)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker import AnyOf, Int, Spec, action, initial, invariant, lemma, require, step_invariant
from everystate.checker.backends.smt import FAULT, INTEGERS, STUCK, System, Unrolling, z3
from everystate.checker.backends.smt.arithmetic import BitVectors
from everystate.checker.backends.smt.states import States
from everystate.checker.backends.smt.terms import Terms
from everystate.checker.engines.crosscheck import formulas
from everystate.checker.engines.crosscheck.formula_states import FormulaStates
from everystate.checker.engines.limits import VARIABLE
from everystate.checker.engines.observer import Silent
from everystate.checker.engines.symbolic import bounded, inductive, lemmas
from everystate.checker.engines.symbolic.search import Question, Search
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.specs.idem_producer import IdempotentProducer
from tests.planted import PLANTED, Everything

SAID = {
    "an assignment": "up differs between compiled code and plain Python: n becomes 2 on symbols, 8 on values",
    "a guard": "up differs between compiled code and plain Python: 0 successors on symbols, 1 successor on values",
    "an error of an action": "divides differs between compiled code and plain Python: 0 successors and a failure on",
    "an invariant": "small differs between compiled code and plain Python: it is False on symbols, True on values",
    "a step invariant": "near differs between compiled code and plain Python: it is False on symbols, True on values",
    "a goal": "full differs between compiled code and plain Python: it is True on symbols, False on values",
    "a constraint": "within differs between compiled code and plain Python: it is ",
    "an error of an invariant": "quotient differs between compiled code and plain Python: it fails on symbols, is True",
}


@pytest.fixture(autouse=True)
def as_many_as_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "1000")


@pytest.mark.parametrize("name", SAID)
def test_wrong_formulas_are_noticed_in(name: str) -> None:
    """before the depth at which the wrong state is reached is searched, so the verdict would be BOUNDED"""
    cls, plant, _, _ = PLANTED[name]
    planted = plant(model.build(cls()))
    search = Search([planted], Question(20), Silent())
    with pytest.raises(EverystateError, match="E217") as found:
        search.cross_check()
    assert found.value.what.startswith(SAID[name])


@pytest.mark.parametrize("arithmetic", [None, INTEGERS], ids=["bits", "integers"])
def test_right_formulas_are_evaluated_on_as_many_states(arithmetic: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    more = {} if arithmetic is None else {"arithmetic": arithmetic}
    monkeypatch.setattr(FormulaStates, "_answers", lambda self: [])
    assert bounded.check(model.build(Everything()), Question(12, **more)).cross_checked == 140
    found = bounded.check(model.build(IdempotentProducer(batches=2)), Question(6, cross_check=30, **more))
    assert found.cross_checked == 30


def test_a_proof_by_induction_is_doubted_once() -> None:
    found = inductive.prove(model.build(Everything()), Question(20, cross_check=40), 2)
    assert found.result.cross_checked == 40


def test_wrong_arithmetic_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = BitVectors.combine

    def combine(self: Any, op: str, a: Any, b: Any, of: Any) -> Any:
        return plain(self, "sub" if op == "add" else op, a, b, of)

    monkeypatch.setattr(BitVectors, "combine", combine)
    with pytest.raises(EverystateError, match="E217 up differs between compiled code and plain Python"):
        bounded.check(model.build(Everything()), Question(3))


class Counts(Spec):
    """Counts by twos from one of three numbers, has to be helped by a lemma, stops at 10 and fails at 11."""

    def variables(self) -> None:
        self.n = Int(0, 11, init=AnyOf(0, 2, 4))

    @action
    def more(self) -> None:
        require(self.n < 9)
        self.n += 2

    @action
    def fails(self) -> None:
        require(self.n == 11)
        self.n = self.n // (11 - self.n)

    @lemma
    def even(self) -> bool:
        return self.n % 2 == 0

    @invariant
    def not_seven(self) -> bool:
        return self.n != 7

    @step_invariant
    def grows(self, before: Any) -> bool:
        return self.n > before.n and before.n % 2 == 0

    @invariant
    def has_a_value(self) -> bool:
        return 3 // (self.n - 3) < 4


class Begins(Counts):
    @initial
    def begins(self) -> None:
        require(self.n > 0)


@pytest.mark.parametrize(
    ("cls", "change", "said"),
    [
        (
            Counts,
            lambda plain, n: z3.And(plain, n != 2),
            "Counts .*: the state is not an initial state on symbols, and is",
        ),
        (
            Counts,
            lambda plain, n: z3.Or(plain, n == 9),
            "Counts .*: the state is an initial state on symbols, and is not",
        ),
        (
            Begins,
            lambda plain, n: z3.And(plain, n != 2),
            "Begins .*: the state is not an initial state on symbols, and is",
        ),
        (
            Begins,
            lambda plain, n: z3.Or(plain, n == 0),
            "Begins .*: the state is an initial state on symbols, and is not",
        ),
    ],
    ids=["one is lost", "one is new", "one that is chosen is lost", "one that is excluded is there"],
)
def test_wrong_initial_states_are_noticed(
    cls: type[Spec], change: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = States.initial
    monkeypatch.setattr(States, "initial", lambda self, m: change(plain(self, m), self.moment(0)[0]))
    with pytest.raises(EverystateError, match=f"E217 {said} on values"):
        bounded.check(
            model.build(
                cls(),
            ),
            Question(3, deadlock=False),
        )


@pytest.mark.parametrize(("op", "wrong"), [("eq", "not"), ("mod", "div")])
def test_a_wrong_lemma_is_noticed(op: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(Terms):
        def _build(self, term: Any) -> Any:
            if term.op != op:
                return super()._build(term)
            if op == "eq":
                return z3.Not(super()._build(term))
            number, by = map(self._number, term.args)
            return self.arithmetic.divide(wrong, number, by, (term.lo, term.hi))

    monkeypatch.setattr(lemmas, "Terms", Wrong)
    with pytest.raises(
        EverystateError, match="E217 even differs between compiled code and plain Python: what z3 was given"
    ):
        inductive.prove(model.build(Counts()), Question(6, deadlock=False))


@pytest.mark.parametrize("name", ["not_seven", "grows", "has_a_value", FAULT, STUCK])
@pytest.mark.parametrize(
    "change", [lambda f, n: z3.BoolVal(False), lambda f, n: z3.Or(f, n == 6)], ids=["never", "more"]
)
def test_what_is_looked_for_wrongly_is_noticed(name: str, change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """where something is looked for where it cannot be, or seen where it is not"""
    plain = System.goals

    def goals(self: System, deadlock: bool = True) -> Any:
        n = self.states.moment(0)[0]
        return [replace(g, formula=change(g.formula, n)) if g.name == name else g for g in plain(self, deadlock)]

    monkeypatch.setattr(System, "goals", goals)
    search = Search([model.build(Counts())], Question(3), Silent())
    with pytest.raises(
        EverystateError, match=f"E217 {name} differs between compiled code and plain Python: what z3 was"
    ):
        search.cross_check()


def test_a_behaviour_that_z3_does_not_have_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second step is taken from where the first one began."""
    plain = Unrolling.at

    def at(self: Unrolling, formula: Any, moment: int) -> Any:
        moved = plain(self, formula, moment)
        pairs = zip(self.system.states.moment(1), self.system.states.moment(0), strict=True)
        return z3.substitute(moved, *pairs) if moment == 1 else moved

    monkeypatch.setattr(Unrolling, "at", at)
    with pytest.raises(EverystateError, match=r"E217 Counts .*: z3 has no behaviour that gets here by the same"):
        Search([model.build(Counts())], Question(3), Silent()).cross_check()


def test_more_formulas_than_python_makes_digits_of_a_number() -> None:
    """A system with 18,000 leaves ended as E503."""
    solver, known = z3.Solver(), z3.Bool("known")
    solver.add(known)
    solver.check()
    truths = formulas._read(solver.model(), formulas._bits([known, z3.Not(known)] * 10_000))
    assert truths == [True, False] * 10_000
