"""Inductive proofs: of the peer model with its lemmas, of classics, and what stands in the way of the others."""

from __future__ import annotations

import pytest

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker import Int, Seq, Spec, action, invariant, lemma, reachable
from everystate.checker.backends.smt import System
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.symbolic import inductive
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.language import marks
from everystate.checker.results.verdict import Verdict
from everystate.specs.classics.prisoner import Prisoner
from everystate.specs.classics.simple import Simple
from everystate.specs.classics.token_ring import TokenRing
from everystate.specs.classics.two_phase import TwoPhase
from everystate.specs.idem_producer import IdempotentProducer

from .visited import visited

BOTH = ("NoDup", "InOrder")


def prove(spec: Spec, *names: str, k: int = 1, seconds: float = 60) -> inductive.Induction:
    return inductive.prove(model.build(spec), Question(0, names, seconds=seconds), k)


class Steps(Spec):
    """Counts by twos; 2-inductive, or 1-inductive with the help of `even`, which is no use with a wrong lemma."""

    def variables(self) -> None:
        self.n = Int(0, 9)
        self.log = Seq(Int(0, 9), 3)

    may_terminate = True

    @action
    def up(self) -> None:
        if self.n < 8:
            self.n += 2

    @invariant
    def never_nine(self) -> bool:
        return self.n != 9

    @lemma
    def even(self) -> bool:
        return self.n % 2 == 0

    @lemma
    def small(self) -> bool:
        return self.n < 8


@pytest.mark.parametrize("window", [1, 2, 5])
def test_as_many_in_flight_as_remembered_is_safe_for_any_number_of_steps(window: int) -> None:
    found = prove(IdempotentProducer(batches=window + 1, max_in_flight=window, window=window))
    assert found.result.verdict is Verdict.PROVED
    assert set(found.result.held) == {"NoDup", "InOrder", "AckedInLog"}
    assert "no action fails" in found.result.statement and "any number of steps" in found.result.statement
    assert len(found.used) == 6 and not found.dropped


def test_the_lemmas_hold_in_every_reachable_state() -> None:
    spec = IdempotentProducer(batches=3, max_in_flight=2, window=2)
    for state in visited(spec):
        assert all(spec.property_holds(name, state) for name in spec._named(marks.LEMMA))


def test_one_more_in_flight_has_a_reachable_counterexample_to_induction() -> None:
    spec = IdempotentProducer(batches=2, max_in_flight=2, window=1)
    found = prove(spec, *BOTH)
    assert found.result.verdict is Verdict.VIOLATED
    assert [v.length for v in found.result.violations] == [10, 10]
    assert [(o.property, o.trace.length, o.first) for o in found.obstacles] == [
        (name, 1, "reachable, after 9 steps") for name in BOTH
    ]
    assert len(exhaustive.check(model.build(spec)).violations) == 2


def test_what_is_not_inductive_is_dropped() -> None:
    found = prove(Steps())
    assert found.result.verdict is Verdict.PROVED
    assert [c.name for c in found.used] == [] or [c.name for c in found.used] == ["even"]
    assert [c.name for c in found.dropped] == ["small"]


def test_mined_lemmas_prove_the_prisoner() -> None:
    found = prove(Prisoner())
    assert found.result.verdict is Verdict.PROVED and found.used


def test_no_lemma_is_needed_by_a_property_that_is_inductive_itself() -> None:
    assert prove(Simple()).result.verdict is Verdict.PROVED


def test_a_proof_says_that_it_does_not_judge_what_comes_true_in_the_end() -> None:
    found = prove(TokenRing(nodes=3, values=2))
    of_states, temporal = found.result.warnings
    assert of_states.startswith("never_without_a_token, ") and of_states.endswith(
        "no values of the variables make it false"
    )
    assert temporal == "one_token_in_the_end is a temporal property: only `check` in one process judges it"
    assert "one_token_in_the_end" not in found.result.checked
    assert found.result.statement == (
        "UNDECIDED  never_without_a_token, tokens_never_multiply hold, no deadlock after any number of steps "
        "within the domains (nodes=3, values=2, 1-induction); one_token_in_the_end is not judged"
    )
    assert (found.result.verdict, found.result.exit_code) == (Verdict.UNDECIDED, 3)
    assert prove(TokenRing(nodes=3, values=2), "tokens_never_multiply").result.verdict is Verdict.PROVED


class Goal(Steps):
    @reachable
    def far(self) -> bool:
        return self.n == -1


def test_a_proof_says_that_it_does_not_judge_goals() -> None:
    found = prove(Goal()).result
    assert found.verdict is Verdict.PROVED
    assert found.statement.endswith("within the domains (1-induction with 1 lemma); far is not judged")
    apart, goal = found.warnings
    assert ": -1 can never be equal to a number from 0 to 9: " in apart
    assert goal == "far is a goal: an inductive proof does not say whether it is reached"
    with pytest.raises(EverystateError, match="far is a goal: an inductive proof cannot check that"):
        prove(Goal(), "far")


def test_a_proof_does_not_prove_a_temporal_property_of_which_it_was_asked() -> None:
    with pytest.raises(EverystateError, match="one_token_in_the_end is a temporal property"):
        prove(TokenRing(nodes=3, values=2), "one_token_in_the_end")


def test_a_proof_that_nothing_can_fail_says_so() -> None:
    assert prove(Goal(), "error").result.statement.startswith("PROVED  nothing is violated after any number of steps")


def test_an_unreachable_counterexample_is_said_to_be_one() -> None:
    found = prove(TwoPhase(), "consistent")
    assert found.result.verdict is Verdict.UNDECIDED and found.result.exit_code == 3
    assert found.obstacles[0].first.startswith("not reachable: it is none of the 288")


def test_any_initial_state_is_written_by_its_bounds() -> None:
    """the least and the largest value of each counter, and not 46,656 states"""
    spec = TokenRing()
    assert str(System([model.build(spec)]).initial).count("counter") == 2 * spec.nodes
    assert prove(spec, "tokens_never_multiply").result.verdict is Verdict.PROVED


def test_a_step_that_fails_in_an_initial_state_is_found_first() -> None:
    class Failing(Steps):
        @action
        def shrink(self) -> None:
            self.n -= 1 + self.n

    found = prove(Failing(), k=2)
    assert [(v.property, v.length) for v in found.result.violations] == [("error", 1)]


def test_a_violation_of_the_first_states_is_found_first() -> None:
    class Bad(Steps):
        @invariant
        def never_zero(self) -> bool:
            return self.n != 0

    found = prove(Bad())
    assert found.result.verdict is Verdict.VIOLATED and found.result.violations[0].length == 0
