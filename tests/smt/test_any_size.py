"""Proofs for any size: what is proved, what is not, what is refused, and that misread formulas are noticed."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

pytest.importorskip("z3", reason="z3 is not installed")
pytest.importorskip("pysat", reason="python-sat is not installed")

from bench.proof_specs.consensus import TwoPhase
from bench.proof_specs.locks import Ticket
from bench.proof_specs.memory import Firewall, German, Mesi
from everystate.checker import (
    Array,
    Bool,
    Constant,
    Int,
    Interchangeable,
    Map,
    Spec,
    action,
    assumption,
    constraint,
    invariant,
    require,
)
from everystate.checker.cli.main import main
from everystate.checker.engines import unbounded
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.observer import Silent
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.engines.unbounded.actions import Runner
from everystate.checker.engines.unbounded.calls import Reader
from everystate.checker.engines.unbounded.collecting import Sums, collected
from everystate.checker.engines.unbounded.decide import Sized, Sizes
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.results.verdict import Verdict
from tests.smt.random_sized import outcomes
from tests.smt.sized import RIGHT, WRONG, LockServer, LowestFirst, Pairs, Tickets

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "report.schema.json"
QUESTION = Question(0, seconds=600, cross_check=5)


def decided(cls: type[Spec], opened: str, question: Question = QUESTION) -> unbounded.AnySize:
    """The outcome for a class."""
    return unbounded.decide(lambda sizes: cls(**sizes), opened.split(","), question)


@pytest.mark.parametrize(("cls", "opened"), [*RIGHT, (TwoPhase, "n"), (Mesi, "n")], ids=lambda value: str(value))
def test_protocols_are_proved_at_any_size(cls: type[Spec], opened: str) -> None:
    found = decided(cls, opened).result
    assert found.verdict is Verdict.PROVED
    assert [found.constants[name] for name in opened.split(",")] == ["any"] * len(opened.split(","))
    assert "1" in found.how and "2" in found.how and "3" in found.how


@pytest.mark.thorough
@pytest.mark.parametrize(("cls", "most"), [(Ticket, 10), (German, 23), (Firewall, 2)])
def test_published_protocols_are_proved_at_any_size(cls: type[Spec], most: int) -> None:
    found = decided(cls, "n")
    assert found.result.verdict is Verdict.PROVED
    assert len(found.invariant) < 2 * most  # which clauses IC3 finds differs from run to run


@pytest.mark.parametrize("cls", [Firewall, German, Ticket])
def test_a_planted_bug_is_found_at_a_small_size(cls: type[Spec]) -> None:
    found = unbounded.decide(lambda sizes: cls(bug=1, **sizes), ["n"], QUESTION).result
    assert found.verdict is Verdict.VIOLATED
    assert found.constants["n"] <= 3


def test_what_holds_for_each_element_of_a_size_is_said_of_all() -> None:
    parts = [ast.parse(text, mode="eval").body for text in ("a[n__0]", "not b[n__1, n__0]", "not b[n__0, n__0]")]
    assert [ast.unparse(part) for part in collected(parts, {"n": 2})] == [
        "a[n__0]",
        "all((not b[every, n__0] for every in range(self.n)))",
    ]
    whole = ast.parse("2 < sum([v[n__0, n__0], v[n__0, n__1]]) * 2", mode="eval").body
    assert ast.unparse(Sums({"n": 2}).visit(whole)) == "self.n < sum((v[n__0, every] for every in range(self.n))) * 2"


def test_the_invariant_is_about_all_elements() -> None:
    assert decided(LockServer, "clients").invariant == (
        "never holder is None and inside[a] for all a",
        "never (holder is None or holder == a) and inside[b] for all a, b where a != b",
    )


SLOW = [pytest.param(cls, marks=pytest.mark.thorough) if cls is Tickets else cls for cls in WRONG]


@pytest.mark.parametrize("cls", SLOW)
def test_a_protocol_that_is_wrong_from_some_size_on_is_violated_there(cls: Any) -> None:
    verdicts = [exhaustive.check(model.build(cls(n=n))).verdict for n in (cls.wrong - 1, cls.wrong)]
    assert verdicts == [Verdict.PROVED, Verdict.VIOLATED]
    found = decided(cls, "n").result
    assert (found.verdict, found.constants["n"]) == (Verdict.VIOLATED, cls.wrong)


@pytest.mark.parametrize("cls", SLOW)
def test_no_invariant_of_smaller_sizes_proves_it(cls: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def smaller(self: Sized) -> Iterator[Sizes]:
        yield from ({"n": n} for n in range(2, cls.wrong))

    monkeypatch.setattr(Sized, "_sizes", smaller)
    monkeypatch.setattr(Sized, "larger", 0)
    found = decided(cls, "n").result
    assert found.verdict is Verdict.UNDECIDED
    assert f"n={cls.wrong - 1} only" in found.said


# -- what has no meaning for any size ----------------------------------------------------------------------------


class Body(Spec):
    """A spec whose parts are replaced."""

    n = Constant(3)
    limit = Constant(2)
    may_terminate = True

    def variables(self) -> None:
        self.on = Array(self.n, Bool())
        self.at = Int(0, self.n - 1)

    @action(p="n")
    def step(self, p: int) -> None:
        self.on[p] = True

    @invariant
    def right(self) -> bool:
        return True


class ComparesTheSize(Body):
    @action(p="n")
    def step(self, p: int) -> None:
        if self.n > 3:
            self.on[p] = True


class NextOne(Body):
    @action(p="n")
    def step(self, p: int) -> None:
        self.on[(p + 1) % self.n] = True


class CountsThem(Body):
    def variables(self) -> None:
        self.on = Array(self.n, Bool())
        self.at = Int(0, self.n)


class NamesTheThird(Body):
    @action(p="n")
    def step(self, p: int) -> None:
        require(p == 2)
        self.on[p] = True


class Remembers(Body):
    @action(p="n")
    def step(self, p: int) -> None:
        for q in range(self.n):
            self.on[q] = any(self.on)


class Computes(Body):
    def variables(self) -> None:
        self.on = Array(self.n, Bool())
        self.at = Int(0, self.n - 1)
        self.some = min(self.n, 3)

    @invariant
    def right(self) -> bool:
        return sum(self.on) <= self.some


class WithConstraint(Body):
    @constraint
    def few(self) -> bool:
        return sum(self.on) <= 2


class ThreeActors(Body):
    @action(p=range(3))
    def step(self, p: int) -> None:
        self.on[p] = True


REFUSED: dict[type[Spec], str] = {
    ComparesTheSize: "a comparison of 3 with the number of n",
    NextOne: "arithmetic with one of the n",
    CountsThem: "numbers from 0 to the number of n",
    NamesTheThird: "a comparison of one of the n with 2",
    Remembers: "one round may depend on another: self.on",
    Computes: "self.some, as `variables` computes it,",
    WithConstraint: "few, a constraint,",
    ThreeActors: "1 as an index of n",
}


@pytest.mark.parametrize("cls", REFUSED)
def test_what_depends_on_the_size_is_refused_by_name(cls: type[Spec]) -> None:
    with pytest.raises(EverystateError) as caught:
        decided(cls, "n")
    assert caught.value.code == "E517"
    assert REFUSED[cls] in str(caught.value)
    assert "test_any_size.py" in str(caught.value.where)


def test_only_the_opened_constants_are_open() -> None:
    with pytest.raises(EverystateError, match="E107"):
        decided(Body, "m")


# -- the comparison with the compiled spec ----------------------------------------------------------------------


class Everything(Spec):
    """Each kind of statement and expression that is read."""

    n = Constant(2)
    may_terminate = True

    def variables(self) -> None:
        both = [(a, b) for a in range(self.n) for b in range(self.n)]
        self.link = Map(both, Bool())
        self.at = Interchangeable(self.n, "n")
        self.level = Array(self.n, Int(0, 3))
        self.on = Array(self.n, Bool(), init=[True] + [False] * (self.n - 1))

    def linked(self, p: int) -> bool:
        return any(self.link[p, q] for q in range(self.n))

    @action(p="n", q="n")
    def connect(self, p: int, q: int) -> None:
        require(p < q or not self.linked(p))
        self.link[p, q] = not self.link[q, p]
        self.at = p if self.on[q] else self.at

    @action(p="n")
    def climb(self, p: int) -> None:
        require(self.level[p] < 3 and 2 * sum(self.on) > self.n)
        self.level[p] += 1
        for q in range(self.n):
            if self.on[q] and q != p:
                self.on[q] = self.level[q] == 2
            self.link[q, p] = False

    @invariant
    def whatever(self) -> bool:
        return True


def test_each_kind_of_statement_equals_the_compiled_one() -> None:
    found = decided(Everything, "n").result
    assert (found.verdict, found.how.rpartition(" at ")[2]) == (Verdict.PROVED, "n=1; n=2; n=3; n=5")


def _changed(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, change: Any) -> None:
    original = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda self, *given: change(original, self, *given))


MISTAKES: dict[str, tuple[type, str, Any]] = {
    "any is all": (Reader, "_any", lambda original, self, *given: self._all(*given)),
    "writes are lost": (Runner, "write", lambda original, self, *given: None),
    "requirements are lost": (Runner, "require", lambda original, self, *given: None),
    "an order is reversed": (
        Reader,
        "_compare",
        lambda original, self, node: original(
            self, ast.Compare(node.comparators[0], node.ops, [node.left]) if isinstance(node.ops[0], ast.Lt) else node
        ),
    ),
    "faults are lost": (Reader, "fault", lambda original, self, when: None),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_formula_that_was_misread_proves_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, method, change = MISTAKES[name]
    _changed(monkeypatch, owner, method, change)
    specs = [Everything, LowestFirst, Overflow, Pairs]
    assert any(map(_differs, specs))


def _differs(cls: Any) -> bool:
    """Whether the comparison finds a difference."""
    attempt = Sized(lambda sizes: cls(**sizes), ["n"], QUESTION, Silent(), "")
    found = attempt._compared([]).result
    return found.verdict is Verdict.UNDECIDED and "differs from the compiled" in found.said


class Overflow(Spec):
    """A counter that is too small."""

    n = Constant(2)
    may_terminate = True

    def variables(self) -> None:
        self.count = Array(self.n, Int(0, 2))

    @action(p="n")
    def up(self, p: int) -> None:
        self.count[p] += 1

    @invariant
    def right(self) -> bool:
        return True


def test_an_error_is_not_excluded_by_an_invariant_that_holds() -> None:
    assert decided(Overflow, "n").result.verdict is Verdict.VIOLATED
    assert decided(Overflow, "n", Question(0, ("right",), seconds=600)).result.verdict is Verdict.PROVED


def test_an_order_of_the_elements_is_total() -> None:
    found = decided(LowestFirst, "n")
    assert found.result.verdict is Verdict.PROVED
    assert found.invariant == ("never phase[a] == 'inside' and phase[b] == 'interested' for all a, b",)


def test_a_command_prints_the_argument(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    command = ["prove", "tcommit", "--any-size", "managers", "--property", "consistent", "--json", str(file)]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "PROVED  consistent holds for every managers >= 1, after any number of steps" in printed
    assert "over an unbounded sort; the formulas" in " ".join(printed.split())
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(json.loads(file.read_text("utf-8")))


@pytest.mark.thorough
def test_no_random_spec_is_proved_that_is_wrong_at_some_size() -> None:
    found = outcomes(range(14))
    assert found["PROVED"] > 10
    assert found["VIOLATED"] > 0


class ManyClients(LockServer):
    """The lock server, for many clients only."""

    clients = Constant(7)

    @assumption
    def many(self) -> bool:
        """at least six clients"""
        return self.clients >= 6


def test_formulas_that_no_size_was_compared_with_prove_nothing() -> None:
    found = decided(ManyClients, "clients").result
    assert found.verdict is Verdict.UNDECIDED
    assert "its assumptions exclude the small sizes" in str(found.said)
