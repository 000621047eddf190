"""Clauses and their images under permutations of interchangeable values."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker import Bool, Constant, Interchangeable, Map, Option, Spec, action, invariant, require
from everystate.checker.cli.larger_sizes import inductive_sizes
from everystate.checker.engines.symbolic.attempt import Help
from everystate.checker.engines.symbolic.clauses import ClauseWriter
from everystate.checker.engines.symbolic.decide import decide
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.frontend import model
from everystate.checker.results.verdict import Verdict
from everystate.specs.classics.two_phase_symmetric import SymmetricTwoPhase


class Locks(Spec):
    """A server lends one lock; `favourite` makes client 0 another one than the rest."""

    clients = Constant(3)
    favourite = Constant(0)
    may_terminate = True

    def variables(self) -> None:
        client = Interchangeable(self.clients, "clients")
        self.granted = Map(client, Bool())
        self.held = Map(client, Bool())
        self.returned = Map(client, Bool())
        self.last = Option(client)
        self.free = Bool(init=True)

    @action(c="clients")
    def lend(self, c: int) -> None:
        require(self.free and (self.favourite == 0 or c == 0 or self.last is not None))
        self.free = False
        self.granted[c] = True
        self.last = c

    @action(c="clients")
    def take(self, c: int) -> None:
        require(self.granted[c])
        self.granted[c] = False
        self.held[c] = True

    @action(c="clients")
    def give_back(self, c: int) -> None:
        require(self.held[c])
        self.held[c] = False
        self.returned[c] = True

    @action(c="clients")
    def end(self, c: int) -> None:
        require(self.returned[c])
        self.returned[c] = False
        self.free = True

    @invariant
    def one(self) -> bool:
        return sum(self.held.values()) <= 1


def proved(spec: Spec) -> tuple[list[str], int]:
    """The lines of an invariant, and its number of clauses."""
    found = decide(model.build(spec), Question(0, cross_check=0), help=Help(patience=1e6))
    assert found.result.verdict is Verdict.PROVED and found.invariant is not None
    return ClauseWriter(found.invariant.predicates).lines(found.invariant.clauses), len(found.invariant.clauses)


def test_an_orbit_is_printed_once_whatever_the_number_of_clients() -> None:
    """nine orbits: three of pairs of one kind, three of pairs of two kinds, three of one client and `free`"""
    for clients in (4, 9):
        lines, clauses = proved(Locks(clients=clients))
        crossed = [line for line in lines if f"(and {clients * (clients - 1) - 1:,} more with other clients)" in line]
        assert len(crossed) == 3 and len(lines) <= 14 and clauses > 4 * len(lines)


def test_values_that_differ_after_all_are_no_reason_for_a_wrong_proof() -> None:
    lines, _ = proved(Locks(clients=4, favourite=1))
    assert lines


def test_images_of_counts() -> None:
    """a count of all managers is the same in another order"""
    lines, clauses = proved(SymmetricTwoPhase(managers=3))
    assert all("more with other managers" in line for line in lines) and clauses > 2 * len(lines)


@pytest.mark.parametrize("spec", [Locks(clients=4), SymmetricTwoPhase(managers=4)], ids=["locks", "two-phase"])
def test_quantified_lemmas_are_inductive_for_more_values_as_well(spec: Spec, tmp_path: Path) -> None:
    found = decide(model.build(spec), Question(0, cross_check=0), help=Help(patience=1e6))
    assert found.invariant is not None
    file, [name] = tmp_path / "lemmas.py", set(spec.constants) & {"clients", "managers"}
    text = ClauseWriter(found.invariant.predicates).lemmas(found.invariant.clauses, file)
    assert f"for one in range(self.{name}) for two in range(self.{name}) if one != two)" in text
    file.write_text(text, "utf-8")
    assert (
        inductive_sizes(file, spec, Question(0, cross_check=20)) == f"the lemmas alone prove it with {name} = 4, 5, 6"
    )


class KeptByTheFourth(Locks):
    """Client 3, if there is one, keeps what it gives back."""

    @action(c="clients")
    def give_back(self, c: int) -> None:
        require(self.held[c])
        self.held[c] = c == 3
        self.returned[c] = True


def test_nothing_is_said_of_sizes_at_which_a_spec_is_wrong(tmp_path: Path) -> None:
    spec, file = KeptByTheFourth(clients=3), tmp_path / "lemmas.py"
    found = decide(model.build(spec), Question(0, cross_check=0), help=Help(patience=1e6))
    assert found.result.verdict is Verdict.PROVED and found.invariant is not None
    file.write_text(ClauseWriter(found.invariant.predicates).lemmas(found.invariant.clauses, file), "utf-8")
    assert inductive_sizes(file, spec, Question(0, cross_check=20)) == ""
