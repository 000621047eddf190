"""Proofs without lemmas: the verdict is that of the exhaustive search, and each proof is confirmed by z3."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

pytest.importorskip("z3", reason="z3 is not installed")
pytest.importorskip("pysat", reason="python-sat is not installed")

from everystate.checker import Array, Bool, Constant, Int, Spec, action, invariant, reachable, require
from everystate.checker.backends.smt import Clock, own_context
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.observer import Silent
from everystate.checker.engines.symbolic import certificate, inductive, parametric
from everystate.checker.engines.symbolic.attempt import Help
from everystate.checker.engines.symbolic.clauses import ClauseWriter
from everystate.checker.engines.symbolic.decide import Attempt, Decision, decide
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer, model
from everystate.checker.language import marks
from everystate.checker.results.result import Result
from everystate.checker.results.verdict import Kind, Verdict
from everystate.specs.classics.die_hard import DieHard
from everystate.specs.classics.hanoi import Hanoi
from everystate.specs.classics.missionaries import Missionaries
from everystate.specs.classics.two_phase import TwoPhase
from everystate.specs.idem_producer import IdempotentProducer
from tests.agreement.readers import MAX_PATHS, load
from tests.agreement.test_random_specs import sources

ALONE = Help(lemmas=False, patience=1e6)
FEW = Help(states=1, wrong=20, lemmas=False)
"""So few explored states that IC3 and the bounded search have to do the work."""


def decided(spec: Spec, help: Help = ALONE) -> Decision:
    return decide(model.build(spec), Question(0, seconds=600, cross_check=20), help=help)


PROVED = {
    "two-phase": 2,
    "atomic-commit": 4,
    "tcp": 1,
    "alternating-bit": 3,
    "coffee-can": 2,
    "token-ring": 2,
    "cigarette-smokers": 1,
    "chameneos": 1,
    "paxos": 2,
    "bakery": 2,
}
"""Classics, and how many properties beside the temporal ones and the goals are proved."""


@pytest.mark.parametrize("name", PROVED)
def test_classics_are_proved_without_lemmas(name: str) -> None:
    found = decided(resolve(name).spec({}))
    assert found.invariant is not None and found.result.verdict is Verdict.PROVED
    others = {name for name, kind in found.result.checked.items() if kind in {"reachable", *marks.TEMPORAL}}
    assert len(set(found.result.held) - others) == PROVED[name]
    assert set(found.result.checked) - {"deadlock"} == set(found.result.held)


def test_the_peer_model_is_proved_without_lemmas() -> None:
    found = decided(IdempotentProducer(batches=4, window=2, max_in_flight=2))
    assert found.result.verdict is Verdict.PROVED and found.result.held == ("NoDup", "InOrder", "AckedInLog")


@pytest.mark.parametrize(("spec", "length", "help"), [(Hanoi, 31, ALONE), (DieHard, 6, FEW), (Missionaries, 11, FEW)])
def test_violations_have_the_least_length(spec: type[Spec], length: int, help: Help) -> None:
    found = decided(spec(), help)
    assert found.result.verdict is Verdict.VIOLATED and [v.length for v in found.result.violations] == [length]


class Counters(Spec):
    """Four counters, each behind the one before it: 1,058,983,351,875 states."""

    def variables(self) -> None:
        self.at = Array(4, Int(0, 2_300))

    may_terminate = True

    @action(i=range(4))
    def step(self, i: int) -> None:
        require(self.at[i] < (2_300 if i == 0 else self.at[i - 1]))
        self.at[i] += 1

    @invariant
    def in_order(self) -> bool:
        return self.at[3] <= self.at[0]

    @reachable
    def overtakes(self) -> bool:
        return self.at[2] > self.at[0]


@pytest.mark.thorough
def test_a_space_past_any_memory_is_proved_and_a_goal_is_unreachable() -> None:
    found = decided(Counters())
    assert [(v.property, v.kind) for v in found.result.violations] == [("overtakes", Kind.UNREACHED)]


@pytest.mark.thorough
def test_two_phase_commit_of_eighteen_managers_is_proved() -> None:
    """some 10^13 states: ten times as many for each manager but one"""
    question = Question(0, ("consistent",), seconds=120, cross_check=20)
    found = decide(model.build(TwoPhase(managers=18)), question)
    assert found.result.verdict is Verdict.PROVED


@own_context()
def test_a_wrong_proof_is_refuted() -> None:
    attempt = Attempt([model.build(TwoPhase())], Question(0, seconds=60), Silent(), "", ALONE)
    found = attempt.run()
    assert not isinstance(found, list)
    certificate.check(found.predicates, found.clauses, attempt.search.goals, Clock())
    for wrong in (found.clauses[: len(found.clauses) // 2], (), (*found.clauses, (1,)), (*found.clauses, (-1,))):
        with pytest.raises(certificate.ProofRefuted):
            certificate.check(found.predicates, wrong, attempt.search.goals, Clock())


@pytest.mark.parametrize("name", ["two-phase", "alternating-bit", "cigarette-smokers", "paxos"])
def test_an_invariant_becomes_lemmas_of_an_inductive_proof(name: str, tmp_path: Path) -> None:
    spec = resolve(name).spec({})
    found = decided(spec)
    assert found.invariant is not None
    file = tmp_path / "lemmas.py"
    file.write_text(ClauseWriter(found.invariant.predicates).lemmas(found.invariant.clauses, file), "utf-8")
    again = resolve(f"{file}:{type(spec).__name__}WithLemmas").spec({})
    proof = inductive.prove(model.build(again), Question(0, seconds=60, cross_check=20))
    assert not proof.obstacles and not proof.dropped and not any(lemma.mined for lemma in proof.used)


SPEC = """
import enum

from everystate.checker import Array, Bool, Enum, Spec, action, invariant, require

class Side(enum.Enum):
    LEFT = 1
    RIGHT = 2

class Turns(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.side = Enum(Side)
        self.busy = Array(2, Bool())

    @action(i=range(2))
    def enter(self, i: int) -> None:
        require(not self.busy[1 - i] and self.side is (Side.LEFT if i == 0 else Side.RIGHT))
        self.busy[i] = True

    @action(i=range(2))
    def leave(self, i: int) -> None:
        require(self.busy[i])
        self.busy[i] = False
        self.side = Side.RIGHT if i == 0 else Side.LEFT

    @invariant
    def one(self) -> bool:
        return not (self.busy[0] and self.busy[1])
"""


@pytest.mark.parametrize("lemmas", ["lemmas.py", "elsewhere/lemmas.py"])
@pytest.mark.parametrize("name", ["queue.py", "my-turns.py"])
def test_the_lemmas_of_a_spec_in_a_file_are_a_spec(name: str, lemmas: str, tmp_path: Path) -> None:
    """Both names are those of no module that Python would import for them."""
    (tmp_path / name).write_text(SPEC, "utf-8")
    (tmp_path / "elsewhere").mkdir()
    found = decided(resolve(str(tmp_path / name)).spec({}))
    assert found.invariant is not None
    file = tmp_path / lemmas
    file.write_text(ClauseWriter(found.invariant.predicates).lemmas(found.invariant.clauses, file), "utf-8")
    proof = inductive.prove(model.build(resolve(str(file)).spec({})), Question(0, seconds=60, cross_check=20))
    assert proof.result.verdict is Verdict.PROVED and not proof.dropped


class Three(Spec):
    """A number of values that is no power of two leaves numbers of models that none has."""

    size = Constant(2)
    may_terminate = True

    def variables(self) -> None:
        self.a = Array(self.size, Bool())
        self.b = Array(self.size, Bool())

    @action(i="size")
    def set_a(self, i: int) -> None:
        require(not any(self.a))
        self.a[i] = True

    @action(i="size")
    def set_b(self, i: int) -> None:
        require(self.a[i])
        self.b[i] = True

    @invariant
    def one(self) -> bool:
        return sum(self.b) <= 1


@pytest.mark.parametrize("sizes", [range(2, 5), range(1, 6), range(1, 8)])
def test_any_number_of_open_values_is_proved(sizes: range) -> None:
    traced = parametric.trace_all(lambda choice: Three(**choice), {"size": sizes})
    found = parametric.decide(traced, Question(0, seconds=60, cross_check=20), help=FEW)
    assert found.result.verdict is Verdict.PROVED and len(found.safe) == len(sizes)


def test_open_constants_are_proved_for_all_values_at_once() -> None:
    ranges = {"batches": range(1, 5)}
    traced = parametric.trace_all(
        lambda choice: IdempotentProducer(**{"window": 2, "max_in_flight": 2, **choice}), ranges
    )
    found = parametric.decide(traced, Question(0, seconds=60, cross_check=20), help=ALONE)
    assert found.result.verdict is Verdict.PROVED and len(found.safe) == 4 and not found.violating
    traced = parametric.trace_all(
        lambda c: IdempotentProducer(**c), {"window": range(1, 3), "max_in_flight": range(1, 4)}
    )
    found = parametric.decide(traced, Question(0, seconds=60, cross_check=20), help=ALONE)
    assert [(c, n) for c, _, n in found.violating] == [
        ({"window": 1, "max_in_flight": 2}, 10),
        ({"window": 1, "max_in_flight": 3}, 10),
        ({"window": 2, "max_in_flight": 3}, 12),
    ]
    assert found.relation == "max_in_flight <= window"


# -- random specs ------------------------------------------------------------------------------------------


def outcome(result: Result) -> tuple[Verdict, int | None, frozenset[str]]:
    """The verdict, the least length of a violation, and the goals that are never reached."""
    lengths = [v.length for v in result.violations if v.length is not None]
    missing = frozenset(v.property for v in result.violations if v.length is None)
    return result.verdict, min(lengths, default=None), missing if not lengths else frozenset()


def compared(part: int, specs: int, help: Help, folder: Path) -> int:
    """How many random specs both engines have judged, with the same outcome."""
    judged = set[str]()

    @seed(part)
    @settings(
        max_examples=specs,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(sources(False))
    def compare(source: str) -> None:
        if source in judged:
            return
        try:
            traced = model.build(load(source, folder))
            wanted = exhaustive.check(traced, Limits(max_states=100_000))
        except EverystateError:
            return
        if not wanted.stopped:
            found = decide(traced, Question(0, seconds=60, cross_check=0), help=help).result
            assert outcome(found) == outcome(wanted), source
            judged.add(source)

    compare()
    return len(judged)


def test_random_specs_have_the_verdict_of_the_exhaustive_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
    assert compared(1, 60, FEW, tmp_path) > 10


@pytest.mark.thorough
@pytest.mark.parametrize("help", [ALONE, FEW], ids=["explored", "few states"])
def test_two_hundred_random_specs(help: Help, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
    assert compared(2, 700, help, tmp_path) >= 200
